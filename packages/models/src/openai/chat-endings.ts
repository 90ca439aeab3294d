import type { StopReason } from "../model-provider.ts";

/**
 * The meaning of OpenAI's `finish_reason`s. For `stop`, `tool_calls` and `function_call`, the calls of the turn decide. A turn with calls uses tools,
 * and a turn without calls ends.
 */
export const CHAT_ENDINGS: Readonly<Record<string, StopReason>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};
