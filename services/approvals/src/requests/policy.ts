import { APPROVERS_NEEDED, approverScopes, type Approval, type DecisionKind, type RunOrigin, type Tier } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";

/** How a write of this tier is decided. */
export type DecidedBy = "policy" | "people";

/** Low and medium writes are granted by policy at once; high and critical ones by people. */
export function decidedBy(tier: Tier): DecidedBy {
  return APPROVERS_NEEDED[tier] === 0 ? "policy" : "people";
}

/** A critical approval names its ticket; one ticket serves both approvers. */
export function needsTicket(approval: Approval, decision: DecisionKind): boolean {
  return approval.tier === "critical" && decision === "approve" && ticketOf(approval) === undefined;
}

/** The ticket of the approval: the first that an approver named. */
export function ticketOf({ decisions }: Pick<Approval, "decisions">): string | undefined {
  return decisions.find((made) => made.decision === "approve" && made.ticket !== undefined)?.ticket;
}

/** Whether this person may decide; if not, the rule that forbids it and a sentence for them. */
export type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly rule: "self" | "role" | "scope" | "twice" | "unknown_requester"; readonly reason: string };

/**
 * Who may decide an approval of their own tenant: role approver, scope `approve:<tier>` or `approve:*`, not the requester (nor the principal that stands
 * behind a trigger), and only once. Without the origin nobody knows who asked, so nobody may decide, unless an operator vouched for the approval.
 */
export function permission(approver: Principal, approval: Approval, origin: RunOrigin | null): Permission {
  if (requesters(approval, origin).includes(approver.id))
    return no("self", "You asked for this yourself: another approver has to decide it.");
  if (!origin && approval.adopted === undefined)
    return no("unknown_requester", "It is no longer known who asked for this, so nobody may decide it.");
  if (!approver.roles.includes("approver")) return no("role", "Only the role approver decides; this key can only read.");
  if (!holdsScope(approver, approval.tier))
    return no("scope", `Deciding a ${approval.tier} write needs the scope "approve:${approval.tier}" or "approve:*".`);
  if (approval.decisions.some((made) => made.approver === approver.id))
    return no("twice", "You have already decided this: it needs another approver.");
  return { allowed: true };
}

function requesters(approval: Approval, origin: RunOrigin | null): readonly (string | undefined)[] {
  return [approval.requester, origin?.principal, origin?.via.principal];
}

function holdsScope({ scopes }: Principal, tier: Tier): boolean {
  return approverScopes(tier).some((scope) => scopes.includes(scope));
}

function no(rule: Exclude<Permission, { allowed: true }>["rule"], reason: string): Permission {
  return { allowed: false, rule, reason };
}
