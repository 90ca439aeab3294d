import { approvalCallId, callParts, isApprovalId, keys } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { TimerRow } from "@toolbus/state";
import { expire } from "../machine/approval.ts";
import { timerIdOf } from "../machine/approval-move.ts";
import { refuseStored } from "../machine/refuse-stored.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { APPROVALS_SERVICE } from "../settings.ts";

/**
 * Returns the handler of an approval's timer. When the timer is due, the handler ends the approval if its time is over. It removes the timer if the
 * approval has already ended.
 */
export function expiryHandler(options: {
  readonly documents: ApprovalDocuments;
  readonly outbox: Outbox;
  /** The longest time that people have to decide, in milliseconds. */
  readonly expiryMs: number;
}): (timer: TimerRow) => Promise<void> {
  const { documents, outbox, expiryMs } = options;
  return async ({ shard, id }) => {
    const approvalId = id.slice(timerIdOf("").length);
    if (!isApprovalId(approvalId)) throw new Error(`The timer ${id} does not belong to an approval.`);
    const { now, approval, refused } = await documents.read(approvalId, callParts(approvalCallId(approvalId)).runId);
    // The document's own time limits how long an operator can adopt it, but an approval never waits longer than `expiryMs`.
    const left = Math.min((refused?.claimed?.expiresAt ?? 0) - now, expiryMs);
    if (refused?.claimed?.status === "pending" && refused.why !== "unknown_key" && left <= 0) {
      await outbox.commit(shard, refuseStored(approvalId, { version: refused.version, claimed: refused.claimed }, { now }).change);
      return;
    }
    const version = approval?.version ?? refused?.version ?? 0;
    const moved = approval ? expire(approval, { now }) : null;
    if (moved?.kind === "move") {
      // If the commit is stale, a decision was committed first. The timer is due again soon and then finds that the approval has ended.
      await outbox.commit(shard, moved.change);
      return;
    }
    const open = refused?.claimed?.status === "pending" && left > 0 ? left : null;
    const dueIn = approval && moved?.why === "not_due" ? approval.value.expiresAt - now : open;
    await outbox.commit(shard, {
      op: `timer:${approvalId}:${version}`,
      guards: [{ key: keys.approval(approvalId), version }],
      timers: [{ service: APPROVALS_SERVICE, id, dueIn }],
    });
  };
}
