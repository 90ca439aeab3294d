import { approvalCallId, callParts, isApprovalId, keys } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore, TimerRow } from "@toolbus/state";
import { expire, timerIdOf } from "./approval.ts";
import { readRecords } from "./approval-documents.ts";
import { APPROVALS_SERVICE } from "./settings.ts";

/** Handles a due timer of an approval: ends it when its time is over, and takes the timer away from what has ended already. */
export function expiryHandler(options: { readonly state: StateStore; readonly outbox: Outbox }): (timer: TimerRow) => Promise<void> {
  const { state, outbox } = options;
  return async ({ shard, id }) => {
    const approvalId = id.slice(timerIdOf("").length);
    if (!isApprovalId(approvalId)) throw new Error(`The timer ${id} is none of an approval.`);
    const { now, approval } = await readRecords(state, approvalId, callParts(approvalCallId(approvalId)).runId);
    const moved = approval ? expire(approval, { now }) : null;
    if (moved?.kind === "move") {
      // Stale: a decision was first. The timer is due again soon and finds it final.
      await outbox.commit(shard, moved.change);
      return;
    }
    const dueIn = approval && moved?.why === "not_due" ? approval.value.expiresAt - now : null;
    await outbox.commit(shard, {
      op: `timer:${approvalId}:${approval?.version ?? 0}`,
      guards: [{ key: keys.approval(approvalId), version: approval?.version ?? 0 }],
      timers: [{ service: APPROVALS_SERVICE, id, dueIn }],
    });
  };
}
