import type { JsonObject } from "@toolbus/contracts";
import { freeCallIds } from "../adapter/call-ids.ts";
import type { ModelCall, ModelReply, ModelRequest, ModelUsage } from "../model-provider.ts";
import { mayCall, type WireTools } from "../adapter/wire-tools.ts";
import type { MessageBlock } from "./growing-block.ts";
import { ANTHROPIC_API, payloadOf } from "./payload.ts";
import type { MessageUsage, ReadMessage } from "./read-message.ts";
import { stopOf } from "./stop-reason.ts";

interface Replying {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  /** The model that was asked. */
  readonly model: string;
  /** The digest of what it was asked with. */
  readonly prefix: () => string;
}

/** The turn that a whole message is. Throws `ProviderError` when it stopped for a reason that is not known. */
export function replyOf(message: ReadMessage, { request, tools, model, prefix }: Replying): ModelReply {
  const stop = stopOf(message.stopReason);
  const cutOff = stop === "max_tokens" || stop === "refusal";
  // Half a call is no call, and where none was allowed there is none.
  const called = !cutOff && mayCall(request, tools);
  const blocks = called ? named(message.blocks, request) : message.blocks.filter(({ call }) => call === null);
  const calls = blocks.flatMap(({ call }): readonly ModelCall[] =>
    call ? [{ id: call.id, ...tools.restored(call.name, call.arguments) }] : [],
  );
  return {
    text: blocks.map(({ text }) => text).join(""),
    calls,
    stop: calls.length > 0 ? "tool_use" : stop === "tool_use" ? "end_turn" : stop,
    usage: usageOf(message.usage),
    model: message.model,
    // A turn that was cut off may end in the middle of a thought, which nobody takes back.
    ...(cutOff
      ? {}
      : {
          vendor: {
            api: ANTHROPIC_API,
            model,
            payload: payloadOf(
              blocks.map(({ block }) => block),
              prefix,
            ),
          },
        }),
  };
}

/** The blocks with ids that the transcript has not seen, in the vendor's own form too. */
function named(blocks: readonly MessageBlock[], { transcript }: ModelRequest): readonly MessageBlock[] {
  const ids = freeCallIds(
    blocks.flatMap(({ call }) => (call ? [call.id] : [])),
    transcript,
  ).values();
  return blocks.map((block) => {
    if (!block.call) return block;
    const id = ids.next().value ?? block.call.id;
    return id === block.call.id ? block : { ...block, call: { ...block.call, id }, block: { ...block.block, id } satisfies JsonObject };
  });
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
