import type { Approval, DecisionRequest } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Principal } from "@toolbus/runtime";
import { counting, decidedHash } from "../machine/edited.ts";
import { currentPlan } from "../machine/planned.ts";
import { sentHash } from "./judge-edit.ts";

/**
 * Returns the token with which this person decides this approval for the `n`th time, counted from 0. The token is 256 bits as text. The function
 * returns the same token each time, and nobody outside approvals can compute it.
 */
export type TokenOf = (approvalId: string, approver: Principal, n: number) => string;

/** Returns the token with which this person decides the current arguments. Each approval that an edit or a new plan made void used up one token. */
export function currentToken(tokenOf: TokenOf, approval: Approval, approver: Principal): string {
  return tokenOf(approval.approvalId, approver, voidApprovals(approval, approver));
}

/**
 * If this decision repeats an earlier approval of this person that no longer counts, returns the token of that approval. Otherwise returns null.
 * Without this function, a system that repeats its request would approve arguments that its person has not seen.
 */
export function repeatedToken(
  tokenOf: TokenOf,
  approval: Approval,
  approver: Principal,
  { decision, arguments: args, argumentsHash, planHash }: Omit<DecisionRequest, "token">,
): string | null {
  const sent = args === undefined ? undefined : (sentHash(args) ?? undefined);
  for (let n = 0; n < voidApprovals(approval, approver); n++) {
    const token = tokenOf(approval.approvalId, approver, n);
    const made = approval.decisions.find(({ tokenHash }) => tokenHash === secretHash(token));
    if (!made || made.decision !== decision || made.sent !== sent) continue;
    // The person now decides about another plan. If an earlier plan has come back, this decision is not a repeat of the earlier one either.
    if (planHash !== undefined && (planHash !== made.plan?.hash || planHash === currentPlan(approval)?.hash)) continue;
    // A person who edited arguments saw arguments other than those that the decision is about.
    if (argumentsHash === undefined || sent !== undefined || argumentsHash === decidedHash(approval, made)) return token;
  }
  return null;
}

/** Returns whether this token decided the approval. */
export function hasDecided({ decisions }: Approval, token: string): boolean {
  const hash = secretHash(token);
  return decisions.some(({ tokenHash }) => tokenHash === hash);
}

function voidApprovals(approval: Approval, { id }: Principal): number {
  const counts = new Set(counting(approval));
  return approval.decisions.filter((made) => made.approver === id && made.decision === "approve" && !counts.has(made)).length;
}
