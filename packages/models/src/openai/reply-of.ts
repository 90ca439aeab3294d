import type { Json } from "@toolbus/contracts";
import type { ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { estimateTextTokens } from "../offline/estimate-tokens.ts";
import type { WholeTurn } from "./chat-turn.ts";

/** Returns the reply from a complete turn. It estimates the usage if the vendor did not report it. */
export function replyOf(
  { message, usage, model, ...turn }: WholeTurn<Json>,
  { transcript, system }: ModelRequest,
  provider: { readonly api: string; readonly model: string; readonly estimateTokens: ModelProvider["estimateTokens"] },
): ModelReply {
  const written = turn.text + turn.calls.map((call) => call.arguments).join("");
  return {
    ...turn,
    model: model ?? provider.model,
    usage: usage ?? {
      inputTokens: provider.estimateTokens(transcript, system),
      outputTokens: estimateTextTokens(written),
      estimated: true,
    },
    ...(message === null ? {} : { vendor: { api: provider.api, model: provider.model, payload: message } }),
  };
}
