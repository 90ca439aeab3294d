import { approvalIdOf, callParts, describeProblems, GrantClaims, type Parsed, parser } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { Signer } from "./keys.ts";

/** The `typ` in the header of a grant. */
export const GRANT_TYPE = "tb-grant+jwt";

/**
 * Signs a grant as a compact JWS with Ed25519. The same claims and key give the same text, so a repeat gives the same grant. Throws a TypeError for
 * claims that no worker would accept, and a RangeError for a text over 8 KiB. Both are bugs of the caller.
 */
export async function signGrant(claims: GrantClaims, signer: Signer): Promise<string> {
  const parsed = parseGrantClaims(claims);
  if (!parsed.ok) throw new TypeError(`These claims are not a grant: ${describeProblems(parsed.problems)}.`);
  return signJws(GRANT_TYPE, parsed.value, signer);
}

/**
 * Parses the claims in a value, and checks them against the schema and against each other. The approval and the run in the claims must be those of
 * the call.
 */
export function parseGrantClaims(value: unknown): Parsed<GrantClaims> {
  const parsed = parseFields(value);
  if (!parsed.ok) return parsed;
  const { jti, runId, callId } = parsed.value;
  if (jti !== approvalIdOf(callId)) return { ok: false, problems: [{ path: "/jti", message: "is not the approval of the call" }] };
  if (runId !== callParts(callId).runId) return { ok: false, problems: [{ path: "/runId", message: "is not the run of the call" }] };
  return parsed;
}

const parseFields = parser(GrantClaims);
