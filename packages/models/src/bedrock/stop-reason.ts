import { ProviderError } from "../model-errors.ts";
import type { StopReason } from "../model-provider.ts";

/**
 * Converts the vendor's stop reason into ours. Throws `ProviderError` if the vendor could not parse the model's turn. It also throws for an unknown
 * reason, because we then cannot know whether the turn is usable.
 */
export function stopOf(reason: string): StopReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "end_turn";
    case "tool_use":
      return "tool_use";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "max_tokens";
    case "guardrail_intervened":
    case "content_filtered":
      return "refusal";
    case "malformed_model_output":
    case "malformed_tool_use":
      throw new ProviderError(`The model wrote what Amazon Bedrock could not read (${reason}): the request may be sent again.`, true);
    default:
      throw new ProviderError(
        `Amazon Bedrock stopped for a reason that this version does not know, ${JSON.stringify(reason)}: the reply is not used. Update Toolbus.`,
        false,
      );
  }
}
