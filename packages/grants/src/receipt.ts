import { describeProblems, parser, ReceiptClaims } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

/** The `typ` in the header of a receipt. */
export const RECEIPT_TYPE = "tb-receipt+jwt";

/**
 * Signs a receipt for a worker's answer to one call, with the key of its toolset. The same claims give the same text. Throws a TypeError for invalid
 * claims.
 */
export async function signReceipt(claims: ReceiptClaims, signer: Signer): Promise<string> {
  const parsed = parseReceiptClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are not a receipt: ${describeProblems(parsed.problems)}.`);
  return signJws(RECEIPT_TYPE, parsed.value, signer);
}

export interface ReceiptInput {
  readonly receipt: string;
  /** The keys of this toolset's workers. */
  readonly keys: KeySet;
  /** The call and the toolset that the receipt must name, and all other claims that the reader knows. */
  readonly expected: Pick<ReceiptClaims, "callId" | "toolset"> & Partial<ReceiptClaims>;
}

export type ReceiptVerdict = ClaimsVerdict<ReceiptClaims>;

/** Judges whether a receipt belongs to this call and was signed with a key of its toolset. Receipts do not expire. */
export function verifyReceipt({ receipt, keys, expected }: ReceiptInput): Promise<ReceiptVerdict> {
  return openClaims({
    typ: RECEIPT_TYPE,
    text: receipt,
    keys,
    what: "a receipt",
    parse: parseReceiptClaims,
    mismatch(claims) {
      const wrong = FIELDS.filter((field) => expected[field] !== undefined && expected[field] !== claims[field]);
      return wrong.length === 0 ? null : `of other ${wrong.join(", ")} than ${expected.callId}`;
    },
  });
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
