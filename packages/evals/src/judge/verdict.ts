/** What a judge said about one criterion. */
export interface Verdict {
  readonly answer: "yes" | "no";
  readonly reason: string;
}

const MAX_REASON_CHARS = 2000;

/**
 * Returns the verdict in the answer of a model, or null if the answer is anything but one JSON object with exactly `verdict` and `reason`. Models like
 * to put such an object into a fence, so one fence around the whole answer is accepted. A verdict that must be searched for in prose is no verdict,
 * because the prose may quote the text that is judged.
 */
export function readVerdict(text: string): Verdict | null {
  const bare = /^```(?:json)?\n(?<inside>[^]*)\n```$/.exec(text.trim())?.groups?.["inside"] ?? text.trim();
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { verdict, reason, ...others } = value as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0 || (verdict !== "yes" && verdict !== "no")) return null;
  if (typeof reason !== "string" || reason.trim() === "" || reason.length > MAX_REASON_CHARS) return null;
  return { answer: verdict, reason: reason.trim() };
}
