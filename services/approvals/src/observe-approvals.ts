import { type Approval, APPROVAL_OUTCOMES, type Json, type JsonObject, keys } from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";

const OUTCOMES: ReadonlySet<string> = new Set(APPROVAL_OUTCOMES);

/** Counts in metrics which approvals a commit opened or ended, measures how long they waited, and logs the decisions of people. Both are read from the commit's audit entries. */
export function observeApprovals(change: Change, log: Log): void {
  for (const { event, tier, by, approvalId, callId, tool, decision } of auditOf(change)) {
    if (typeof event !== "string" || typeof tier !== "string") continue;
    if (event === "decision") log.info({ approvalId, callId, tool, tier, by, decision }, "a person decided");
    if (event === "held") measure(metricNames.approvalsHeld, 1, { [attributeNames.tier]: tier });
    else if (OUTCOMES.has(event)) {
      measure(metricNames.approvalsDecided, 1, { [attributeNames.tier]: tier, [attributeNames.outcome]: event });
      const waitedMs = waitedIn(change, approvalId);
      if (waitedMs !== null)
        measure(metricNames.approvalsWait, waitedMs / 1000, { [attributeNames.tier]: tier, [attributeNames.outcome]: event });
    }
  }
}

/** Returns how long the approval that this commit ends has waited for people, or null if it never waited for them. */
function waitedIn({ index = [], put = [] }: Change, approvalId: Json | undefined): number | null {
  if (typeof approvalId !== "string" || !index.some(({ member, score }) => member === approvalId && score === null)) return null;
  const approval = put.find(({ key }) => key === keys.approval(approvalId))?.value as Partial<Approval> | undefined;
  const { requestedAt, endedAt } = approval ?? {};
  return typeof requestedAt === "number" && typeof endedAt === "number" ? Math.max(0, endedAt - requestedAt) : null;
}

/** Returns how many writes wait for people, counted up to 1,000. */
export async function countPending(state: StateStore): Promise<number> {
  const page = await state.page(keys.pendingApprovals(), { limit: MOST_COUNTED });
  return page.members.length;
}

/** Returns for how many seconds the oldest write has waited for people, or 0 if none waits. Each replica reads the same index. */
export async function oldestPending(state: StateStore, clock: () => number): Promise<number> {
  const [oldest] = (await state.page(keys.pendingApprovals(), { limit: 1 })).members;
  return oldest ? Math.max(0, clock() - oldest.score) / 1000 : 0;
}

const MOST_COUNTED = 1000;

function auditOf(change: Change): readonly JsonObject[] {
  return (change.append ?? []).flatMap(({ log, entries }) => (log.startsWith("tb:audit:") ? (entries as readonly JsonObject[]) : []));
}
