import { jsonExtent, TOO_DEEP } from "../json-extent.ts";

/** The usable part of the command's answer. */
export interface CliAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  /** The usage, or null if the command did not report it. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

export type ReadAnswer = { readonly ok: true; readonly answer: CliAnswer } | { readonly ok: false; readonly why: string };

/**
 * Finds the answer in a command's output. The answer is the last JSON object with `text` or `calls`. Any text or a Markdown fence may surround this
 * object. If the answer cannot be used, returns the reason.
 */
export function readAnswer(output: string): ReadAnswer {
  const objects = objectsIn(output.trimEnd());
  if (objects === null) return { ok: false, why: "a JSON object that breaks off or is nested too deeply" };
  const found = objects.findLast((object) => "text" in object || "calls" in object);
  if (!found) return { ok: false, why: output.trim() === "" ? "nothing" : 'no JSON object with "text" or "calls"' };
  const { text = "", calls = [], usage = null } = found;
  if (typeof text !== "string" && text !== null) return { ok: false, why: 'a "text" that is not a text' };
  if (!Array.isArray(calls) && calls !== null) return { ok: false, why: 'something other than a list as "calls"' };
  const read = (calls ?? []).map(readCall);
  const bad = read.indexOf(null);
  if (bad !== -1)
    return { ok: false, why: `a call without a name, or with arguments that are neither an object nor a text (calls/${bad})` };
  return { ok: true, answer: { text: text ?? "", calls: read.filter((call) => call !== null), usage: readUsage(usage) } };
}

/**
 * Returns the objects at the top level of a text, whatever is between them. Returns null if the last object is cut off, because an incomplete answer
 * is useless.
 */
function objectsIn(output: string): readonly Record<string, unknown>[] | null {
  const objects: Record<string, unknown>[] = [];
  for (let at = output.indexOf("{"); at !== -1;) {
    const extent = jsonExtent(output, at);
    if (extent.ok) objects.push(JSON.parse(output.slice(at, extent.end)) as Record<string, unknown>);
    else if (extent.at >= output.length || extent.expected === TOO_DEEP) return null;
    // The search continues after the fault and not after the brace. The inside of a broken object, such as the arguments of a call, is not an answer.
    at = output.indexOf("{", extent.ok ? extent.end : Math.max(extent.at, at + 1));
  }
  return objects;
}

function readCall(call: unknown): CliAnswer["calls"][number] | null {
  if (!isObject(call) || typeof call["name"] !== "string" || call["name"] === "") return null;
  const { name, arguments: args = {} } = call;
  if (typeof args === "string") return { name, arguments: args };
  return isObject(args) ? { name, arguments: JSON.stringify(args) } : null;
}

/** Returns null for invalid figures. The figures are only for accounting, so an invalid figure must not make the call fail. */
function readUsage(usage: unknown): CliAnswer["usage"] {
  if (!isObject(usage)) return null;
  const { inputTokens, outputTokens } = usage;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
