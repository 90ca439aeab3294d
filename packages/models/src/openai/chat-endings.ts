import type { StopReason } from "../model-provider.ts";

/** OpenAI's `finish_reason`s. `tool_use` only asks for the calls: a turn that has none ends, and one that has some uses them, whatever it says. */
export const CHAT_ENDINGS: Readonly<Record<string, StopReason>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};
