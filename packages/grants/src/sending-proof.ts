import { describeProblems, type LedgerRow, parser, SendingClaims } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

const SENDING_TYPE = "tb-sending+jwt";

/** Signs a proof of the value that an attempt is about to send, with the key of its toolset. Throws a TypeError for invalid claims. */
export async function signSending(claims: SendingClaims, signer: Signer): Promise<string> {
  const parsed = parseSendingClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are not a sending proof: ${describeProblems(parsed.problems)}.`);
  return signJws(SENDING_TYPE, parsed.value, signer);
}

export interface SendingInput {
  readonly proof: string;
  /** The keys of this toolset's workers. */
  readonly keys: KeySet;
  readonly toolset: string;
  /**
   * The row that the proof must belong to. The row's prepared value is not checked here. The caller must compare the value's hash with the claims.
   */
  readonly row: LedgerRow;
}

export type SendingVerdict = ClaimsVerdict<SendingClaims>;

/**
 * Judges whether an attempt of this toolset signed this proof for this row and its sending time. A later attempt may have taken over the row. Then
 * the row has a higher fence than the proof.
 */
export function verifySending({ proof, keys, toolset, row }: SendingInput): Promise<SendingVerdict> {
  const expected: Omit<SendingClaims, "fence" | "preparedHash" | "at"> & { readonly at: number | undefined } = {
    callId: row.callId,
    toolset,
    tool: row.toolName,
    toolHash: row.toolHash,
    argsHash: row.argsHash,
    jti: row.jti,
    at: row.sendingAt,
  };
  return openClaims({
    typ: SENDING_TYPE,
    text: proof,
    keys,
    what: "a sending proof",
    parse: parseSendingClaims,
    mismatch(claims) {
      const wrong = FIELDS.filter((field) => expected[field] !== claims[field]);
      if (wrong.length > 0) return `of other ${wrong.join(", ")} than the row`;
      return claims.fence > row.fence ? "of a later attempt than the row" : null;
    },
  });
}

const FIELDS = ["callId", "toolset", "tool", "toolHash", "argsHash", "jti", "at"] as const satisfies readonly (keyof SendingClaims)[];

const parseSendingClaims = parser(SendingClaims);
