/** Returns a reply that must be a list. The type of its items is unknown. Throws TypeError for any other reply. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError(`Redis answered a ${typeof reply} where the state store expects a list.`);
  const list: readonly unknown[] = reply;
  return list;
}

/** Returns a part of a reply that must be text, or a number, which Redis returns as text or as a number. Throws TypeError for any other part. */
export function textIn(part: unknown): string {
  if (typeof part === "string") return part;
  if (typeof part === "number") return String(part);
  throw new TypeError(`Redis answered a ${typeof part} where the state store expects text.`);
}
