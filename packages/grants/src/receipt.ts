import { describeProblems, parser, ReceiptClaims } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

/** `typ` of a receipt's header. */
export const RECEIPT_TYPE = "tb-receipt+jwt";

/** Signs what a worker did for one call, with the key of its toolset. The same claims give the same text. Throws a TypeError on invalid claims. */
export async function signReceipt(claims: ReceiptClaims, signer: Signer): Promise<string> {
  const parsed = parseReceiptClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are not a receipt: ${describeProblems(parsed.problems)}.`);
  return signJws(RECEIPT_TYPE, parsed.value, signer);
}

export interface ReceiptInput {
  readonly receipt: string;
  /** Keys of this toolset's workers. */
  readonly keys: KeySet;
  /** The call and toolset that the receipt must name, and whatever else the reader knows. */
  readonly expected: Pick<ReceiptClaims, "callId" | "toolset"> & Partial<ReceiptClaims>;
}

export type ReceiptVerdict = ClaimsVerdict<ReceiptClaims>;

/** Judges whether a receipt belongs to this call and is signed by a key of its toolset. Receipts do not expire. */
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
