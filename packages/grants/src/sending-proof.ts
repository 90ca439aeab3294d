import { describeProblems, type LedgerRow, parser, SendingClaims } from "@toolbus/contracts";
import { openJws, signJws, type UnsignedReason } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";

const SENDING_TYPE = "tb-sending+jwt";

/** Signs what an attempt is about to send, with its toolset's own key. Throws a TypeError on bad claims. */
export async function signSending(claims: SendingClaims, signer: Signer): Promise<string> {
  const parsed = parseSendingClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are no sending proof: ${describeProblems(parsed.problems)}.`);
  return signJws(SENDING_TYPE, parsed.value, signer);
}

export interface SendingInput {
  readonly proof: string;
  /** Keys of this toolset's workers. */
  readonly keys: KeySet;
  readonly toolset: string;
  /** The row that the proof must be of. What it holds as prepared is not looked at here: compare its hash with the claims. */
  readonly row: LedgerRow;
}

/** `unknown_key` proves nothing either way; `forged` never was a proof of this row. */
export type SendingVerdict =
  | { readonly kind: "genuine"; readonly claims: SendingClaims }
  | { readonly kind: "unknown_key"; readonly detail: string }
  | { readonly kind: "forged"; readonly reason: UnsignedReason | "claims" | "mismatch"; readonly detail: string };

/**
 * Judges whether an attempt of this toolset sent what this row says, at the time it says. The row may be that of a later attempt, which took over: its fence
 * is the higher one.
 */
export async function verifySending({ proof, keys, toolset, row }: SendingInput): Promise<SendingVerdict> {
  const opened = await openJws(SENDING_TYPE, proof, keys);
  switch (opened.kind) {
    case "refused":
      return { kind: "forged", reason: opened.reason, detail: opened.detail };
    case "unknown_key":
      return { kind: "unknown_key", detail: `the key ${opened.kid} is not known` };
    case "opened": {
      const parsed = parseSendingClaims(opened.payload);
      if (!parsed.ok) return { kind: "forged", reason: "claims", detail: "not the claims of a sending proof" };
      const claims = parsed.value;
      const expected: Omit<SendingClaims, "fence" | "preparedHash" | "at"> & { readonly at: number | undefined } = {
        callId: row.callId,
        toolset,
        tool: row.toolName,
        toolHash: row.toolHash,
        argsHash: row.argsHash,
        jti: row.jti,
        at: row.sendingAt,
      };
      const wrong = FIELDS.filter((field) => expected[field] !== claims[field]);
      if (wrong.length > 0) return { kind: "forged", reason: "mismatch", detail: `of other ${wrong.join(", ")} than the row` };
      if (claims.fence > row.fence) return { kind: "forged", reason: "mismatch", detail: "of a later attempt than the row" };
      return { kind: "genuine", claims };
    }
  }
}

const FIELDS = ["callId", "toolset", "tool", "toolHash", "argsHash", "jti", "at"] as const satisfies readonly (keyof SendingClaims)[];

const parseSendingClaims = parser(SendingClaims);
