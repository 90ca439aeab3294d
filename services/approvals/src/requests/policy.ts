import { approverScopes, type Approval, type DecisionKind, type RunOrigin, type Tier } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { noPlaceFor, notAmongApprovers, ticketMismatch } from "../policy/check-approver.ts";
import { counting, type Counted } from "../machine/edited.ts";

/** Who decides about a write. */
export type DecidedBy = "policy" | "people";

/** Returns who decides about a write that needs this many approvers. By default policy grants low and medium writes at once. */
export function decidedBy(need: number): DecidedBy {
  return need === 0 ? "policy" : "people";
}

/**
 * Returns what is wrong with the ticket of this decision, as a sentence, or null. A critical approval must name a ticket, and so must an approval
 * whose policy demands a form of the ticket. One ticket is enough for all approvers.
 */
export function ticketFault(approval: Approval, decision: DecisionKind, ticket: string | undefined): string | null {
  if (decision !== "approve") return null;
  if (ticket !== undefined) return ticketMismatch(ticket, approval);
  const isCritical = approval.tier === "critical";
  if ((!isCritical && approval.policy?.tickets === undefined) || ticketOf(approval) !== undefined) return null;
  return `Approving ${isCritical ? "a critical" : "this"} write needs its ticket.`;
}

/** Returns the ticket of the approval. It is the first one that an approver of these arguments named. */
export function ticketOf(approval: Counted): string | undefined {
  return counting(approval).find((made) => made.ticket !== undefined)?.ticket;
}

/** The right of a person to decide. If it is missing, `rule` names what forbids it, and `reason` is a sentence for the person. */
export type Permission =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly rule: "self" | "role" | "scope" | "policy" | "twice" | "place" | "unknown_requester";
      readonly reason: string;
    };

/**
 * Returns whether this person may decide an approval of their own tenant. The person needs the role approver and the scope `approve:<tier>` or
 * `approve:*`, and is one of those whom the policy names. The person is neither the requester nor the principal behind a trigger, and approves the
 * same arguments only once. Without the origin, nobody knows who asked, so nobody may decide unless an operator vouched for the approval.
 */
export function permission(approver: Principal, approval: Approval, origin: RunOrigin | null): Permission {
  if (requesters(approval, origin).includes(approver.id))
    return no("self", "You asked for this yourself: another approver has to decide it.");
  if (!origin && approval.adopted === undefined)
    return no("unknown_requester", "It is no longer known who asked for this, so nobody may decide it.");
  if (!approver.roles.includes("approver")) return no("role", "Only the role approver decides; this key can only read.");
  if (!holdsScope(approver, approval.tier))
    return no("scope", `Deciding a ${approval.tier} write needs the scope "approve:${approval.tier}" or "approve:*".`);
  if (counting(approval).some((made) => made.approver === approver.id))
    return no("twice", "You have already decided this: it needs another approver.");
  const outside = notAmongApprovers(approver, approval);
  if (outside !== null) return no("policy", outside);
  const place = noPlaceFor(approver, { ...approval, decisions: [...counting(approval)] });
  if (place !== null) return no("place", place);
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
