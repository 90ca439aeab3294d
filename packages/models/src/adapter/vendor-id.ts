import { createHash } from "node:crypto";

/** What a vendor takes as the id of a call. */
export interface IdForm {
  /** Of the whole id; it must take letters, digits and `_`. */
  readonly pattern: RegExp;
  /** At least 24. */
  readonly maxLength: number;
}

const PREFIX = "tb_";

/**
 * The id as this vendor takes it: itself where it keeps the form, and otherwise an opaque one. The same id always gives the same, so that call
 * and result stay a pair and a prompt stays what a vendor's cache knows, and two ids never give one: what looks like ours is made anew too.
 */
export function vendorId(id: string, { pattern, maxLength }: IdForm): string {
  if (id.length <= maxLength && pattern.test(id) && !id.startsWith(PREFIX)) return id;
  return (PREFIX + createHash("sha256").update(id).digest("hex")).slice(0, maxLength);
}
