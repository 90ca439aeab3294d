import type { ModelCall, ModelReply, ModelRequest } from "../model-provider.ts";
import { freeCallIds } from "./call-ids.ts";
import { mayCall, type WireTools } from "./wire-tools.ts";

/** A block of an answer. If the block is a call, `call` has its parts. */
export interface SaidBlock {
  readonly text: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | null;
}

/** The content of a message made of blocks, in the form that Anthropic's Messages and Bedrock's Converse share. */
export interface BlockTurn<B extends SaidBlock> extends Pick<ModelReply, "text" | "calls" | "stop"> {
  /** The blocks that the reply contains, with their ids. */
  readonly blocks: readonly B[];
  /** True if the message may end in the middle of a thinking block. No vendor accepts such a block in a later request. */
  readonly cutOff: boolean;
}

/** Returns the turn that these blocks form. `withId` returns a block with another call id, also in the vendor's own form. */
export function blockTurn<B extends SaidBlock>(
  said: readonly B[],
  stop: ModelReply["stop"],
  { request, tools }: { readonly request: ModelRequest; readonly tools: WireTools },
  withId: (block: B, id: string) => B,
): BlockTurn<B> {
  const cutOff = stop === "max_tokens" || stop === "refusal";
  // The turn omits a truncated call. It omits every call if the request allowed none.
  const called = !cutOff && mayCall(request, tools);
  const blocks = called ? named(said, request, withId) : said.filter(({ call }) => call === null);
  const calls = blocks.flatMap(({ call }): readonly ModelCall[] =>
    call ? [{ id: call.id, ...tools.restored(call.name, call.arguments) }] : [],
  );
  return {
    blocks,
    cutOff,
    text: blocks.map(({ text }) => text).join(""),
    calls,
    stop: calls.length > 0 ? "tool_use" : stop === "tool_use" ? "end_turn" : stop,
  };
}

/** Returns the blocks with call ids that are new to the transcript. */
function named<B extends SaidBlock>(blocks: readonly B[], { transcript }: ModelRequest, withId: (block: B, id: string) => B): readonly B[] {
  const ids = freeCallIds(
    blocks.flatMap(({ call }) => (call ? [call.id] : [])),
    transcript,
  ).values();
  return blocks.map((block) => (block.call ? withId(block, ids.next().value ?? block.call.id) : block));
}
