import { type Call, MAX_PASSAGE, MAX_TAINT_SOURCES, type Run, type Taint, type TaintSource, type ToolResult } from "@toolbus/contracts";
import { shortened } from "./bounded-text.ts";

/**
 * Returns the run's taint after this call has ended. Returns nothing to change if the call was never sent or if its tool is not untrusted. A run
 * never loses a taint.
 */
export function taintedBy(run: Run, call: Call, result: ToolResult): Pick<Run, "taint"> {
  // If the call was not sent, the result has only our own words.
  if (call.untrusted !== true || call.dispatch === 0) return {};
  const words = run.tools.flatMap(({ name }) => [name, ...name.split("_")]).filter((word) => word.length > 2);
  const passage = shortened(passageOf(result.content, words), MAX_PASSAGE);
  const source = { callId: call.callId, tool: call.toolName, passage };
  return joinedTaint(run.taint, { sources: [source] });
}

/** Returns both taints as one: the first sources, and the number of the others. Returns an empty object if there is no taint. */
export function joinedTaint(before: Taint | undefined, after: Taint | undefined): { taint?: Taint } {
  if (!before || !after) return (before ?? after) ? { taint: (before ?? after) as Taint } : {};
  const known = new Set(before.sources.map(({ callId }) => callId));
  const added = after.sources.filter(({ callId }) => !known.has(callId));
  const sources: TaintSource[] = [...before.sources, ...added];
  // A later run already has the taint of the conversation. So only the sources that the run added are counted.
  const more = Math.max(before.more ?? 0, after.more ?? 0) + Math.max(0, sources.length - MAX_TAINT_SOURCES);
  return { taint: { sources: sources.slice(0, MAX_TAINT_SOURCES), ...(more > 0 ? { more } : {}) } };
}

/**
 * Returns the passage of an untrusted text that a person should see: the one with the most words that give orders or name the run's tools. Returns
 * the beginning of the text if no passage has such a word.
 */
export function passageOf(text: string, words: readonly string[]): string {
  const searched = text.slice(0, SEARCHED);
  const orders = new Set([...ORDERS, ...words.map((word) => word.toLowerCase())]);
  const found = [...searched.matchAll(WORD)].filter(([word]) => orders.has(word.toLowerCase())).map(({ index }) => index);
  let best = { start: 0, count: 0 };
  for (let first = 0, last = 0; first < found.length; first++) {
    const start = found[first] ?? 0;
    while (last < found.length && (found[last] ?? 0) < start + MAX_PASSAGE - BEFORE) last++;
    if (last - first > best.count) best = { start: Math.max(0, start - BEFORE), count: last - first };
  }
  return text.slice(best.start, best.start + MAX_PASSAGE).toWellFormed();
}

const SEARCHED = 64 * 1024;
/** How much of the text before the first such word is shown, in UTF-16 code units. */
const BEFORE = 60;
const WORD = /[\p{L}_]+/gu;
const ORDERS = [
  "ignore", "disregard", "forget", "override", "instruction", "instructions", "system", "assistant", "must", "immediately", "urgent",
  "approve", "approved", "transfer", "send", "pay", "refund", "delete", "call", "execute", "run", "tool", "secret", "password", "confirm",
]; // prettier-ignore
