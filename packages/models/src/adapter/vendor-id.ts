import { createHash } from "node:crypto";

/** The form of a call id that a vendor accepts. */
export interface IdForm {
  /** Matches the whole id. The pattern must accept letters, digits and `_`. */
  readonly pattern: RegExp;
  /** The maximum length, at least 24. */
  readonly maxLength: number;
}

const PREFIX = "tb_";

/**
 * Returns the id unchanged if this vendor accepts it, and otherwise an opaque id. The same id always gives the same result, so that call and result
 * stay a pair and a prompt stays in the vendor's cache. Two different ids never give the same result, because the function also replaces an id that
 * looks generated.
 */
export function vendorId(id: string, { pattern, maxLength }: IdForm): string {
  if (id.length <= maxLength && pattern.test(id) && !id.startsWith(PREFIX)) return id;
  return (PREFIX + createHash("sha256").update(id).digest("hex")).slice(0, maxLength);
}
