/** Returns a field of an answer or a document as text. A string stays unchanged, and any other value becomes JSON. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
