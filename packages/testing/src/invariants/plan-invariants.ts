import { type Approval, approvalCallId, type Decision, type GrantClaims, keys, type LedgerRow, type Plan } from "@toolbus/contracts";
import { TOOLSET, writeNamed } from "../world/sim-tools.ts";
import type { Facts } from "./facts.ts";
import { same } from "./same.ts";

/** Returns whether people approve the plan of this write, and not only its arguments. */
function isPlanned({ toolName, need }: Approval): boolean {
  return need > 0 && writeNamed(toolName)?.plans === true;
}

/** Returns whether this decision is about the plan on the card now. */
export function isOfCurrentPlan(approval: Approval, { plan }: Decision): boolean {
  if (!isPlanned(approval)) return true;
  const { plans = [], planning } = approval;
  return planning === undefined && plan?.round === plans.length && plan.hash === plans.at(-1)?.hash;
}

/** Returns what is wrong with the plans of an approval after a commit. */
export function wrongPlans(facts: Facts, before: Approval | undefined, after: Approval): readonly string[] {
  const { approvalId, plans = [] } = after;
  const earlier = before?.plans ?? [];
  const broken: string[] = [];
  if (plans.length > earlier.length + 1 || earlier.some(({ hash }, index) => plans[index]?.hash !== hash))
    broken.push(`I7: the earlier plans of ${approvalId} have changed`);
  const added = plans.length > earlier.length ? plans.at(-1) : undefined;
  if (added !== undefined && !isOfTarget(facts, after, added.content))
    broken.push(`G6: ${approvalId} shows a plan that the target never gave`);
  if (after.status === "pending" && after.planning !== undefined && !facts.timers.get("approvals")?.has(`plan:${approvalId}`))
    broken.push(`I3: the approval ${approvalId} waits for a plan and has no timer for it`);
  if (before?.status === "approved" && after.status !== "approved") broken.push(...reopenedWrongly(facts, after));
  return broken;
}

/** Checks that an approved write goes back to people only after its worker has recorded that the target has changed. */
function reopenedWrongly(facts: Facts, { approvalId, status, plans = [] }: Approval): readonly string[] {
  const row = facts.documents.get(keys.ledger(TOOLSET, approvalCallId(approvalId))) as unknown as LedgerRow | undefined;
  const approved = status === "pending" ? plans.length - 1 : plans.length;
  return row?.state === "begun" && (row.planRound ?? 0) > approved
    ? []
    : [`I7: ${approvalId} was approved and is ${status}, but its ledger does not say that the target has changed`];
}

/** Returns whether an approval may leave its end, because the target of its write has changed. */
export function mayReopen(before: Approval, after: Approval): boolean {
  if (before.status !== "approved" || !isPlanned(after)) return false;
  return after.status === "refused" || (after.status === "pending" && after.plans?.at(-1)?.drift === true);
}

/** Checks that a grant covers the plan that people approved. */
export function wrongPlanInGrant(approval: Approval, { plan, approvers }: GrantClaims): readonly string[] {
  const { plans = [], decisions } = approval;
  if (!isPlanned(approval)) return plan === undefined ? [] : ["covers a plan, but nobody was asked about one"];
  if (plan === undefined || plans[plan.round - 1]?.hash !== plan.hash) return ["covers no plan of its approval"];
  return approvers
    .filter(({ sub }) => !decisions.some((made) => made.approver === sub && made.decision === "approve" && same(made.plan, plan)))
    .map(({ sub }) => `counts ${sub}, who approved another plan`);
}

/**
 * Checks the plan at the moment of an effect. After the last approval, the worker must have asked the target again, and the target must have given the
 * plan that people approved.
 */
export function brokenPlanOfEffect(facts: Facts, approval: Approval): readonly string[] {
  if (!isPlanned(approval)) return [];
  const { callId, plans = [], decisions } = approval;
  const content = plans.at(-1)?.content;
  const approvedAt = Math.max(0, ...decisions.filter((made) => isOfCurrentPlan(approval, made)).map(({ at }) => at));
  const isChecked = (facts.planned.get(callId) ?? []).some(({ at, plan }) => at >= approvedAt && same(plan, content));
  return isChecked ? [] : [`G6: ${callId} happened although nobody checked after its approval that the target was still the same`];
}

function isOfTarget(facts: Facts, { callId }: Approval, content: Plan | undefined): boolean {
  return content !== undefined && (facts.planned.get(callId) ?? []).some(({ plan }) => same(plan, content));
}
