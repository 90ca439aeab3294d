import { type Approval, type ApprovalPlan, keys, MAX_DRIFTS, type Plan } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { ended, type Illegal, illegal, MAX_REASON, type Moment, type Read } from "./approval.ts";
import { reopenedEntries } from "./ended-lists.ts";
import { APPROVALS_SERVICE } from "../settings.ts";
import { closing, indexed, move, type Move, planTimerIdOf, planTimers, timer } from "./approval-move.ts";

/** A plan that a worker of the toolset signed. */
export interface SignedPlan {
  readonly hash: string;
  readonly content: Plan;
  readonly proof: string;
}

/** Puts the worker's plan on the card of a pending approval. From now on people can approve the write. */
export function planned(read: Read<Approval>, made: SignedPlan, { now }: Pick<Moment, "now">): Move | Illegal<"not_asked"> {
  const before = read.value;
  if (before.status !== "pending" || before.planning === undefined) return illegal("not_asked");
  const approval = withPlan(before, { ...made, at: now });
  return move(`planned:${before.approvalId}:${approval.plans?.length ?? 0}`, read.version, approval, {
    at: now,
    events: [{ event: "planned", by: toolsetOf(before) }],
    // The place in the list is the same. The change reports the write to people, who could not approve it before.
    change: { timers: planTimers(approval), index: [indexed(approval, before.requestedAt)] },
  });
}

/** Ends a write that its worker cannot plan, before people are asked for something that cannot happen. */
export function unplannable(read: Read<Approval>, problem: string, { now }: Pick<Moment, "now">): Move | Illegal<"not_asked"> {
  const before = read.value;
  if (before.status !== "pending" || before.planning === undefined) return illegal("not_asked");
  return refused("unplannable", read, `Its worker cannot say what it would change: ${problem}`, now);
}

/**
 * Reopens an approved write, because its target has changed since. The approvals were for the earlier plan, so they no longer count, and their grant
 * is void for the worker. `made` is null if the worker cannot plan the write any more. Then the write ends.
 */
export function drifted(
  read: Read<Approval>,
  round: number,
  made: SignedPlan | null,
  { now }: Pick<Moment, "now">,
): Move | Illegal<"not_approved"> {
  const before = read.value;
  const { grant: _, ...rest } = before;
  if (before.status !== "approved" || !before.grant || before.grant.executeBy <= now || before.plans?.length !== round)
    return illegal("not_approved");
  if (made === null)
    return refused(
      "drifted",
      { ...read, value: rest },
      "Its target has changed since it was approved, and it cannot be planned any more.",
      now,
    );
  const drifts = before.plans.filter(({ drift }) => drift).length;
  if (drifts >= MAX_DRIFTS || before.decisions.length + before.need > MOST_DECISIONS)
    return refused(
      "drifted",
      { ...read, value: rest },
      "Its target changed each time after it was approved. Ask again when the target is quiet.",
      now,
    );
  const firstExpiresAt = before.plans.find(({ until }) => until !== undefined)?.until ?? before.expiresAt;
  const approval: Approval = {
    ...withPlan(rest, { ...made, at: now, drift: true, until: before.expiresAt }),
    status: "pending",
    endedAt: null,
    // People get as much time as they had for the first plan.
    expiresAt: Math.min(now + (firstExpiresAt - before.requestedAt), before.grant.executeBy),
    sent: before.sent + 1,
  };
  return move(`drifted:${before.approvalId}:${round}`, read.version, approval, {
    at: now,
    events: [{ event: "drifted", by: toolsetOf(before) }],
    answer: "held",
    change: { timers: [timer(approval, approval.expiresAt - now)], index: [indexed(approval, now), ...reopenedEntries(before)] },
  });
}

/** Asks the worker again what a write will change. */
export function askPlanAgain(read: Read<Approval>, { now }: Pick<Moment, "now">): Move | Illegal<"not_asked"> {
  const before = read.value;
  if (before.status !== "pending" || before.planning === undefined) return illegal("not_asked");
  const approval: Approval = { ...before, planning: { asked: before.planning.asked + 1 }, sent: before.sent + 1 };
  // People hear of the write now, even without a plan, because its worker may be down for a long time.
  const index = before.planning.asked === 1 && before.plans === undefined ? { index: [indexed(approval, before.requestedAt)] } : {};
  return move(`ask-plan:${before.approvalId}:${approval.sent}`, read.version, approval, {
    at: now,
    events: [],
    asksPlan: true,
    change: { timers: planTimers(approval), ...index },
  });
}

/** Returns the change that removes the timer of an approval that needs no plan any more, or that has no genuine document in the store. */
export function forgetPlanTimer(approvalId: string, version: number): Change {
  return {
    op: `plan-timer:${approvalId}:${version}`,
    guards: [{ key: keys.approval(approvalId), version }],
    timers: [{ service: APPROVALS_SERVICE, id: planTimerIdOf(approvalId), dueIn: null }],
  };
}

const MOST_DECISIONS = 16;

function refused(why: "unplannable" | "drifted", { version, value }: Read<Approval>, reason: string, now: number): Move {
  const { planning: _, ...rest } = value;
  const approval: Approval = { ...ended(rest, "refused", now), reason: reason.slice(0, MAX_REASON).toWellFormed() };
  return move(`${why}:${value.approvalId}:refused.${approval.sent}`, version, approval, {
    at: now,
    events: [{ event: "refused", by: toolsetOf(value) }],
    answer: "decided",
    change: closing(approval),
  });
}

function toolsetOf({ toolset }: Approval): string {
  return `worker.${toolset}`;
}

/** Adds a plan. Only the last two keep their content and their proof, so that the document stays small. */
function withPlan({ planning: _, ...approval }: Approval, plan: ApprovalPlan): Approval {
  const { plans = [] } = approval;
  const earlier = plans.map(({ content, proof, ...rest }, index) =>
    index < plans.length - 1 ? rest : { ...rest, ...(content === undefined ? {} : { content }), ...(proof === undefined ? {} : { proof }) },
  );
  return { ...approval, plans: [...earlier, plan] };
}
