import { blockTurn } from "../adapter/block-turn.ts";
import type { WireTools } from "../adapter/wire-tools.ts";
import type { ModelReply, ModelRequest, ModelUsage } from "../model-provider.ts";
import type { MessageBlock } from "./growing-block.ts";
import { BEDROCK_API, payloadOf } from "./payload.ts";
import type { ReadMessage } from "./read-message.ts";
import { stopOf } from "./stop-reason.ts";

interface Replying {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  /** The requested model, because the vendor does not name the model that answered. */
  readonly model: string;
  /** Returns the digest of the request's prefix. */
  readonly prefix: () => string;
}

/** Returns the turn that a complete message forms. Throws `ProviderError` if the message stopped for an unknown reason. */
export function replyOf(message: ReadMessage, { model, prefix, ...replying }: Replying): ModelReply {
  const { blocks, cutOff, ...turn } = blockTurn(message.blocks, stopOf(message.stopReason), replying, withId);
  const kept = blocks.flatMap(({ block }) => (block ? [block] : []));
  return {
    ...turn,
    usage: usageOf(message.usage),
    model,
    ...(cutOff ? {} : { vendor: { api: BEDROCK_API, model, payload: payloadOf(kept, prefix) } }),
  };
}

function withId(said: MessageBlock, id: string): MessageBlock {
  const { call, block } = said;
  if (!call) return said;
  return { ...said, call: { ...call, id }, block: block?.toolUse ? { toolUse: { ...block.toolUse, toolUseId: id } } : block };
}

/** Returns our usage. The vendor's input tokens exclude cache reads and writes, so they are added here. */
function usageOf(usage: ReadMessage["usage"]): ModelUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadInputTokens, cacheWriteInputTokens } = usage ?? {};
  return {
    inputTokens: inputTokens + (cacheReadInputTokens ?? 0) + (cacheWriteInputTokens ?? 0),
    outputTokens,
    ...(cacheReadInputTokens === undefined ? {} : { cacheReadTokens: cacheReadInputTokens }),
    ...(cacheWriteInputTokens === undefined ? {} : { cacheWriteTokens: cacheWriteInputTokens }),
  };
}
