import { freeCallIds } from "../adapter/call-ids.ts";
import type { ModelCall, ModelReply, ModelRequest, ModelUsage } from "../model-provider.ts";
import { mayCall, type WireTools } from "../adapter/wire-tools.ts";
import type { MessageBlock } from "./growing-block.ts";
import { BEDROCK_API, payloadOf } from "./payload.ts";
import type { ReadMessage } from "./read-message.ts";
import { stopOf } from "./stop-reason.ts";

interface Replying {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  /** The model that was asked; the vendor does not name the one that answered. */
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
  const kept = blocks.flatMap(({ block }) => (block ? [block] : []));
  return {
    text: blocks.map(({ text }) => text).join(""),
    calls,
    stop: calls.length > 0 ? "tool_use" : stop === "tool_use" ? "end_turn" : stop,
    usage: usageOf(message.usage),
    model,
    // A turn that was cut off may end in the middle of a thought, which nobody takes back.
    ...(cutOff ? {} : { vendor: { api: BEDROCK_API, model, payload: payloadOf(kept, prefix) } }),
  };
}

/** The blocks with ids that the transcript has not seen, in the vendor's own form too. */
function named(blocks: readonly MessageBlock[], { transcript }: ModelRequest): readonly MessageBlock[] {
  const ids = freeCallIds(
    blocks.flatMap(({ call }) => (call ? [call.id] : [])),
    transcript,
  ).values();
  return blocks.map((each) => {
    if (!each.call) return each;
    const id = ids.next().value ?? each.call.id;
    const toolUse = each.block?.toolUse;
    return { ...each, call: { ...each.call, id }, block: toolUse ? { toolUse: { ...toolUse, toolUseId: id } } : each.block };
  });
}

/** The vendor counts what the cache gave and took apart from the rest. */
function usageOf(usage: ReadMessage["usage"]): ModelUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadInputTokens, cacheWriteInputTokens } = usage ?? {};
  return {
    inputTokens: inputTokens + (cacheReadInputTokens ?? 0) + (cacheWriteInputTokens ?? 0),
    outputTokens,
    ...(cacheReadInputTokens === undefined ? {} : { cacheReadTokens: cacheReadInputTokens }),
    ...(cacheWriteInputTokens === undefined ? {} : { cacheWriteTokens: cacheWriteInputTokens }),
  };
}
