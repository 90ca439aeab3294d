/** A field of an answer or a document as text: a text unchanged, anything else as JSON. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
