import { createHash } from "node:crypto";

/** What a vendor accepts as the id of a call. */
export interface IdForm {
  /** For the whole id; it must accept letters, digits and `_`. */
  readonly pattern: RegExp;
  /** At least 24. */
  readonly maxLength: number;
}

const PREFIX = "tb_";

/**
 * The id in a form that this vendor accepts: unchanged if it fits, and otherwise an opaque one. The same id always gives the same result, so that call and
 * result stay a pair and a prompt stays in a vendor's cache. Two ids never give the same one: an id that looks like a generated one is replaced too.
 */
export function vendorId(id: string, { pattern, maxLength }: IdForm): string {
  if (id.length <= maxLength && pattern.test(id) && !id.startsWith(PREFIX)) return id;
  return (PREFIX + createHash("sha256").update(id).digest("hex")).slice(0, maxLength);
}
