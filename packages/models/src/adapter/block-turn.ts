import type { ModelCall, ModelReply, ModelRequest } from "../model-provider.ts";
import { freeCallIds } from "./call-ids.ts";
import { mayCall, type WireTools } from "./wire-tools.ts";

/** A block of an answer, and the call in it, if it is one. */
export interface SaidBlock {
  readonly text: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | null;
}

/** The content of a message made of blocks, in the form that Anthropic's Messages and Bedrock's Converse share. */
export interface BlockTurn<B extends SaidBlock> extends Pick<ModelReply, "text" | "calls" | "stop"> {
  /** Those that count, with their ids. */
  readonly blocks: readonly B[];
  /** The message may end in the middle of a thought, which no vendor accepts back. */
  readonly cutOff: boolean;
}

/** The turn that these blocks form. `withId` gives a block another call id, in the vendor's own form too. */
export function blockTurn<B extends SaidBlock>(
  said: readonly B[],
  stop: ModelReply["stop"],
  { request, tools }: { readonly request: ModelRequest; readonly tools: WireTools },
  withId: (block: B, id: string) => B,
): BlockTurn<B> {
  const cutOff = stop === "max_tokens" || stop === "refusal";
  // Half a call does not count, and if none was allowed there is none.
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

/** The blocks, with ids that are new to the transcript. */
function named<B extends SaidBlock>(blocks: readonly B[], { transcript }: ModelRequest, withId: (block: B, id: string) => B): readonly B[] {
  const ids = freeCallIds(
    blocks.flatMap(({ call }) => (call ? [call.id] : [])),
    transcript,
  ).values();
  return blocks.map((block) => (block.call ? withId(block, ids.next().value ?? block.call.id) : block));
}
