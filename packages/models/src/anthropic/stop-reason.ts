import { ProviderError } from "../model-errors.ts";
import type { StopReason } from "../model-provider.ts";

/**
 * Converts the vendor's stop reason into ours. Throws `ProviderError` for an unknown reason, because nobody then knows whether the turn is usable.
 */
export function stopOf(reason: string | null): StopReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "end_turn";
    case "tool_use":
      return "tool_use";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "max_tokens";
    case "refusal":
      return "refusal";
    case "pause_turn":
      return "pause";
    default:
      throw new ProviderError(
        `Anthropic stopped for a reason that this version does not know, ${JSON.stringify(reason)}: the reply is not used. Update Toolbus.`,
        false,
      );
  }
}
