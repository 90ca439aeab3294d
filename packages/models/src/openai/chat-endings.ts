import type { StopReason } from "../model-provider.ts";

/** OpenAI's `finish_reason`s. The calls decide, not the reason: a turn with calls uses tools and a turn without calls ends, whatever it says. */
export const CHAT_ENDINGS: Readonly<Record<string, StopReason>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};
