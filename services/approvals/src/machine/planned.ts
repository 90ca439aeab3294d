import type { Approval, ApprovalPlan, Decision, PlanRef } from "@toolbus/contracts";

/** The parts of an approval that say what its write would change. */
export type Planned = Pick<Approval, "plans" | "planning">;

/** Returns whether the tool of this write offers a plan, so that nobody approves the write without one. */
export function offersPlan({ plans, planning }: Planned): boolean {
  return plans !== undefined || planning !== undefined;
}

/** Returns the plan on the card with its round. Returns null if the tool offers none, or while no worker has planned the current arguments. */
export function currentPlan({ plans = [], planning }: Planned): (ApprovalPlan & PlanRef) | null {
  const last = plans.at(-1);
  return planning !== undefined || last === undefined ? null : { ...last, round: plans.length };
}

/** Returns the plan that was approved before, if the target has changed since then and people have to decide again. */
export function driftedPlan({ plans = [], planning }: Planned): ApprovalPlan | null {
  return planning === undefined && plans.at(-1)?.drift ? (plans.at(-2) ?? null) : null;
}

/** Returns whether a worker found that the target had changed. The worker has begun the write then, so its arguments stay. */
export function hasDrifted({ plans = [] }: Planned): boolean {
  return plans.some(({ drift }) => drift);
}

/** Returns whether this decision is about the plan on the card. It always is if the tool offers no plan. */
export function isOfPlan(planned: Planned, { plan }: Pick<Decision, "plan">): boolean {
  return !offersPlan(planned) || (plan !== undefined && plan.round === currentPlan(planned)?.round);
}

/**
 * Returns the approval with the plans that it had when its last decision was made. A decision names the plan that the person saw, and an edit was made
 * before anybody had planned its arguments.
 */
export function plannedThen(approval: Approval): Approval {
  const last = approval.decisions.at(-1);
  if (!offersPlan(approval) || last === undefined) return approval;
  const { plans = [] } = approval;
  const round = last.plan?.round;
  return round === undefined
    ? withPlans(
        approval,
        plans.filter(({ at }) => at < last.at),
        true,
      )
    : withPlans(approval, plans.slice(0, round), false);
}

/** Returns the approval with the plans that it had at this time. */
export function plannedAt(approval: Approval, at: number): Approval {
  if (!offersPlan(approval)) return approval;
  const plans = (approval.plans ?? []).filter((plan) => plan.at <= at);
  const edited = approval.decisions.findLast(({ plan, sent }) => plan === undefined && sent !== undefined)?.at ?? 0;
  return withPlans(approval, plans, (plans.at(-1)?.at ?? 0) < edited || plans.length === 0);
}

function withPlans(
  { plans: all = [], planning: _, ...approval }: Approval,
  plans: NonNullable<Approval["plans"]>,
  planning: boolean,
): Approval {
  const next = all.slice(plans.length).find(({ until }) => until !== undefined);
  return {
    ...approval,
    ...(plans.length === 0 ? {} : { plans }),
    ...(planning ? { planning: { asked: 1 } } : {}),
    ...(next?.until === undefined ? {} : { expiresAt: next.until }),
  };
}
