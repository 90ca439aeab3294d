/** A place in an index, directly after this score and member. */
export interface Place {
  readonly score: number;
  readonly member: string;
}

/** Returns where a page starts: after the place that the cursor names, or at the beginning. Throws RangeError for a cursor that no page returned. */
export function startOf(cursor: string | undefined, order: "asc" | "desc"): Place {
  if (cursor === undefined) return { score: order === "asc" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY, member: "" };
  const place = parsePlace(Buffer.from(cursor, "base64url").toString());
  if (!place) throw new RangeError("This cursor comes from no page: start again without one.");
  return place;
}

/** Returns the cursor after this place, with which a page continues there. */
export function cursorAfter({ score, member }: Place): string {
  return Buffer.from(JSON.stringify([score, member])).toString("base64url");
}

/** Makes a page from a read of one member more than the limit. The extra member shows that another page follows. */
export function pageOf(read: readonly Place[], limit: number): { readonly members: readonly Place[]; readonly cursor?: string } {
  const members = read.slice(0, limit);
  const last = members.at(-1);
  return read.length > limit && last ? { members, cursor: cursorAfter(last) } : { members };
}

function parsePlace(text: string): Place | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.length !== 2) return null;
    const [score, member]: unknown[] = value;
    return typeof score === "number" && typeof member === "string" ? { score, member } : null;
  } catch {
    return null;
  }
}
