import { describeProblems, parser, ReceiptClaims } from "@toolbus/contracts";
import { openJws, signJws, type UnsignedReason } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";

/** `typ` of a receipt's header. */
export const RECEIPT_TYPE = "tb-receipt+jwt";

/** Signs what a worker did for one call, with its toolset's own key. The same claims give the same text. Throws a TypeError on bad claims. */
export async function signReceipt(claims: ReceiptClaims, signer: Signer): Promise<string> {
  const parsed = parseReceiptClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are no receipt: ${describeProblems(parsed.problems)}.`);
  return signJws(RECEIPT_TYPE, parsed.value, signer);
}

export interface ReceiptInput {
  readonly receipt: string;
  /** Keys of this toolset's workers. */
  readonly keys: KeySet;
  /** The call and toolset that the receipt must be of, and whatever else the reader knows. */
  readonly expected: Pick<ReceiptClaims, "callId" | "toolset"> & Partial<ReceiptClaims>;
}

/** `unknown_key` proves nothing either way; `forged` never was a receipt of this call. */
export type ReceiptVerdict =
  | { readonly kind: "genuine"; readonly claims: ReceiptClaims }
  | { readonly kind: "unknown_key"; readonly detail: string }
  | { readonly kind: "forged"; readonly reason: UnsignedReason | "claims" | "mismatch"; readonly detail: string };

/** Judges whether a receipt is of this call, by a key of its toolset. Receipts do not expire. */
export async function verifyReceipt({ receipt, keys, expected }: ReceiptInput): Promise<ReceiptVerdict> {
  const opened = await openJws(RECEIPT_TYPE, receipt, keys);
  switch (opened.kind) {
    case "refused":
      return { kind: "forged", reason: opened.reason, detail: opened.detail };
    case "unknown_key":
      return { kind: "unknown_key", detail: `the key ${opened.kid} is not known` };
    case "opened": {
      const parsed = parseReceiptClaims(opened.payload);
      if (!parsed.ok) return { kind: "forged", reason: "claims", detail: "not the claims of a receipt" };
      const wrong = FIELDS.filter((field) => expected[field] !== undefined && expected[field] !== parsed.value[field]);
      if (wrong.length > 0) return { kind: "forged", reason: "mismatch", detail: `of other ${wrong.join(", ")} than ${expected.callId}` };
      return { kind: "genuine", claims: parsed.value };
    }
  }
}

const FIELDS = [
  "callId",
  "toolset",
  "tool",
  "toolHash",
  "argsHash",
  "fence",
  "resultHash",
  "answerHash",
  "at",
] as const satisfies readonly (keyof ReceiptClaims)[];

const parseReceiptClaims = parser(ReceiptClaims);
