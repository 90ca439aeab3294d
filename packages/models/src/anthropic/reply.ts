import type { JsonObject } from "@toolbus/contracts";
import { blockTurn } from "../adapter/block-turn.ts";
import type { WireTools } from "../adapter/wire-tools.ts";
import type { ModelReply, ModelRequest, ModelUsage } from "../model-provider.ts";
import type { MessageBlock } from "./growing-block.ts";
import { ANTHROPIC_API, payloadOf } from "./payload.ts";
import type { MessageUsage, ReadMessage } from "./read-message.ts";
import { stopOf } from "./stop-reason.ts";

interface Replying {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  /** The requested model. */
  readonly model: string;
  /** Returns the digest of the request's prefix. */
  readonly prefix: () => string;
}

/** Returns the turn that a complete message forms. Throws `ProviderError` if the message stopped for an unknown reason. */
export function replyOf(message: ReadMessage, { model, prefix, ...replying }: Replying): ModelReply {
  const { blocks, cutOff, ...turn } = blockTurn(message.blocks, stopOf(message.stopReason), replying, withId);
  const kept = blocks.map(({ block }) => block);
  return {
    ...turn,
    usage: usageOf(message.usage),
    model: message.model,
    ...(cutOff ? {} : { vendor: { api: ANTHROPIC_API, model, payload: payloadOf(kept, prefix) } }),
  };
}

function withId(said: MessageBlock, id: string): MessageBlock {
  const { call, block } = said;
  return !call || id === call.id ? said : { ...said, call: { ...call, id }, block: { ...block, id } satisfies JsonObject };
}

function usageOf({ input, cacheRead, cacheWrite, output, thinking }: MessageUsage): ModelUsage {
  return {
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(thinking === null ? {} : { reasoningTokens: thinking }),
  };
}
