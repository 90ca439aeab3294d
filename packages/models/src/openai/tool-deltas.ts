import { jsonObjectOf } from "../adapter/call-input.ts";
import type { ArgumentsMeter } from "../adapter/arguments-meter.ts";
import type { ToolCallDelta } from "./chat-chunk.ts";

/** A call that the model is writing. */
export interface WrittenCall {
  id: string;
  /** The vendor's name of the tool. */
  name: string;
  arguments: string;
  /** False for a kind of call that we do not offer, such as `custom`. */
  readonly ours: boolean;
}

export interface ToolDeltas {
  /** The calls in the order in which they began. */
  readonly calls: readonly WrittenCall[];
  /** Adds a delta. Returns its call, and the text that it adds to the call's arguments. */
  add(delta: ToolCallDelta): { readonly call: WrittenCall; readonly text: string };
}

/**
 * Assembles calls from their deltas. A delta may have no `index`, and may be a whole call. Some servers give every call the index 0 (Ollama, Gemini's
 * compatible address) or repeat the id and name in every piece. The meter throws for too many or too long calls.
 */
export function toolDeltas(meter: ArgumentsMeter): ToolDeltas {
  const calls: WrittenCall[] = [];
  const byIndex = new Map<number, WrittenCall>();

  return {
    calls,
    add: (delta) => {
      const text = argumentsText(delta);
      meter.take(text);
      const call = callOf(delta, text);
      call.id ||= idOf(delta);
      call.name ||= nameOf(delta);
      call.arguments += text;
      return { call, text };
    },
  };

  function callOf(delta: ToolCallDelta, text: string): WrittenCall {
    const { index } = delta;
    const open = typeof index === "number" ? byIndex.get(index) : calls.at(-1);
    if (open !== undefined && !beginsAnother(open, delta, text)) return open;
    meter.begin();
    const begun: WrittenCall = { id: "", name: "", arguments: "", ours: delta.type !== "custom" };
    calls.push(begun);
    if (typeof index === "number") byIndex.set(index, begun);
    return begun;
  }
}

function beginsAnother(open: WrittenCall, { id, function: said }: ToolCallDelta, text: string): boolean {
  if (id && open.id !== "" && id !== open.id) return true;
  // Without ids, only the start of a second complete call separates it from the first.
  return (
    !id && Boolean(said?.name) && open.name !== "" && (text === "" || jsonObjectOf(text) !== null) && jsonObjectOf(open.arguments) !== null
  );
}

function argumentsText({ function: said }: ToolCallDelta): string {
  const written = said?.arguments ?? "";
  return typeof written === "string" ? written : JSON.stringify(written);
}

function idOf({ id }: ToolCallDelta): string {
  return typeof id === "string" ? id : "";
}

function nameOf({ function: said }: ToolCallDelta): string {
  return typeof said?.name === "string" ? said.name : "";
}
