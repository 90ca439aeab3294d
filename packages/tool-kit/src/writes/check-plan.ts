import type { PlanRef } from "@toolbus/contracts";
import type { InvokeContext, Outcome } from "../calls/invoke-context.ts";
import type { CheckedArguments } from "../calls/read-arguments.ts";
import type { Ran } from "../calls/run-within.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import type { WriteExecutor } from "../tool/toolset.ts";
import { retryAfter } from "../worker-timings.ts";
import type { Hold } from "./ledger-hold.ts";
import { isAnswer, makePlan, publishPlan } from "./plan-write.ts";

/** A write that is about to be sent. */
export interface PlannedWrite {
  readonly call: ToolCall;
  readonly executor: WriteExecutor;
  readonly context: InvokeContext;
  readonly args: CheckedArguments;
}

/** Whether a write may be sent under the plan that people approved. */
export type PlanCheck =
  | { readonly kind: "same" }
  | { readonly kind: "interrupted"; readonly why: "stopped" | "lost" }
  /** The write cannot be planned any more. */
  | { readonly kind: "failed"; readonly ran: Exclude<Ran<never>, { kind: "value" }> }
  /** The target has changed. Nothing is sent, and approvals knows the new plan. */
  | { readonly kind: "changed"; readonly outcome: Outcome };

export const SAME_PLAN: PlanCheck = { kind: "same" };

/** Plans an approved write again and compares the plan with the approved one. If it is another one, the grant is void and people see the new plan. */
export async function checkPlan({ hold, ...write }: PlannedWrite & { readonly hold: Hold }, approved: PlanRef): Promise<PlanCheck> {
  const { call, executor, context, args } = write;
  const made = await makePlan(call, executor, args, context, hold.lost);
  if (made.kind !== "planned") return made;
  if (made.hash === approved.hash) return SAME_PLAN;
  // The row is committed first. Otherwise an earlier delivery of the call could still use the grant, while people decide about the new plan.
  if ((await hold.drifted(approved.round)) === "lost")
    return { kind: "changed", outcome: retryLater(write, "another attempt has taken over") };
  await publishPlan(call, executor, args, context, { made, drifted: approved.round });
  return { kind: "changed", outcome: DRIFTED };
}

/** Tells approvals again that the target has changed, because the attempt that found it may have died before it told approvals. */
export async function reportDrift(write: PlannedWrite, drifted: number): Promise<Outcome> {
  const { call, executor, context, args } = write;
  const made = await makePlan(call, executor, args, context);
  if (made.kind === "interrupted" || !isAnswer(made)) return retryLater(write, "the write could not be planned again");
  await publishPlan(call, executor, args, context, { made, drifted });
  return DRIFTED;
}

const DRIFTED: Outcome = { kind: "grant_stale", reason: "the target has changed since its plan was approved" };

function retryLater({ call, context }: PlannedWrite, reason: string): Outcome {
  return { kind: "retry", after: retryAfter(context.timings, call.count), reason };
}
