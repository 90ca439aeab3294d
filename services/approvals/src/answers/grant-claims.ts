import { type Approval, describeProblems, GRANT_ISSUER, grantAudience, type GrantTerms } from "@toolbus/contracts";
import { type GrantClaims, parseGrantClaims } from "@toolbus/grants";
import { counting } from "../machine/edited.ts";
import { currentPlan } from "../machine/planned.ts";
import type { Facts } from "../machine/approval.ts";
import { ticketOf } from "../requests/policy.ts";

/** The basis of a grant: the facts of the write, its decisions, the last edit, and the time for which the grant is valid. */
export type Granted = Facts & Pick<Approval, "need" | "decisions" | "edited" | "plans" | "planning"> & { readonly grant: GrantTerms };

/**
 * Returns the claims of a write's grant: the call, the arguments, the definition and the people. The grant's id is the approval's id, so it stays the
 * same each time the grant is signed.
 */
export function grantClaims(granted: Granted): GrantClaims {
  const { grant } = granted;
  const ticket = ticketOf(granted);
  const plan = currentPlan(granted);
  return {
    iss: GRANT_ISSUER,
    aud: grantAudience(granted.toolset),
    jti: granted.approvalId,
    iat: seconds(grant.issuedAt),
    nbf: seconds(grant.issuedAt),
    exp: seconds(grant.expiresAt),
    era: grant.era,
    tenant: granted.tenant,
    runId: granted.runId,
    callId: granted.callId,
    tool: granted.toolName,
    toolVersion: granted.toolVersion,
    toolHash: granted.toolHash,
    argsHash: granted.argsHash,
    tier: granted.tier,
    requester: granted.requester,
    approvers: counting(granted).map(({ approver: sub, at, via }) => ({ sub, at, via })),
    need: granted.need,
    ...(ticket === undefined ? {} : { ticket }),
    ...(plan === null ? {} : { plan: { round: plan.round, hash: plan.hash } }),
  };
}

/**
 * Returns why a grant of this write could not be signed, or null if it could. Approvals checks this before anybody decides, because an approved write
 * whose grant cannot be signed would never be answered.
 */
export function grantFault(wanted: Omit<Granted, "grant">): string | null {
  const parsed = parseGrantClaims(grantClaims({ ...wanted, grant: ANY_TERMS }));
  return parsed.ok ? null : describeProblems(parsed.problems);
}

const ANY_TERMS: GrantTerms = { issuedAt: 0, expiresAt: 0, executeBy: 0, era: 1 };

/** JWT times are in seconds. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
