/** A reply that must be a list, of which nothing more is known. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError(`Redis answered a ${typeof reply} where the state store expects a list.`);
  const list: readonly unknown[] = reply;
  return list;
}

/** A part of a reply that must be text, or a number that Redis returns as text or as number. */
export function textIn(part: unknown): string {
  if (typeof part === "string") return part;
  if (typeof part === "number") return String(part);
  throw new TypeError(`Redis answered a ${typeof part} where the state store expects text.`);
}
