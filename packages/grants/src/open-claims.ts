import type { Parsed } from "@toolbus/contracts";
import { openJws, type SignedType, type UnsignedReason } from "./jws.ts";
import type { KeySet } from "./key-set.ts";

/**
 * The verdict on a signed text, such as a receipt. `unknown_key` means that the signature could not be checked. `forged` means that no trusted key
 * signed this text with the expected claims.
 */
export type ClaimsVerdict<T> =
  | { readonly kind: "genuine"; readonly claims: T }
  | { readonly kind: "unknown_key"; readonly detail: string }
  | { readonly kind: "forged"; readonly reason: UnsignedReason | "claims" | "mismatch"; readonly detail: string };

export interface OpenClaims<T> {
  readonly typ: SignedType;
  readonly text: string;
  readonly keys: KeySet;
  /** The name of the text in messages, such as "a receipt". */
  readonly what: string;
  readonly parse: (payload: unknown) => Parsed<T>;
  /** Describes how the claims differ from the expected ones. Returns null if they do not differ. */
  readonly mismatch: (claims: T) => string | null;
}

/** Opens a signed text, parses its claims and compares them with the expected ones. */
export async function openClaims<T>({ typ, text, keys, what, parse, mismatch }: OpenClaims<T>): Promise<ClaimsVerdict<T>> {
  const opened = await openJws(typ, text, keys);
  switch (opened.kind) {
    case "refused":
      return { kind: "forged", reason: opened.reason, detail: opened.detail };
    case "unknown_key":
      return { kind: "unknown_key", detail: `the key ${opened.kid} is not known` };
    case "opened": {
      const parsed = parse(opened.payload);
      if (!parsed.ok) return { kind: "forged", reason: "claims", detail: `these are not the claims of ${what}` };
      const wrong = mismatch(parsed.value);
      return wrong === null ? { kind: "genuine", claims: parsed.value } : { kind: "forged", reason: "mismatch", detail: wrong };
    }
  }
}
