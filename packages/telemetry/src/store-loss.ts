import type { Log } from "./logger.ts";
import { measure } from "./measurements.ts";
import { attributeNames, metricNames } from "./names.ts";

/** Logs and counts that the store has lost writes that it had acknowledged. The log line says what operators must do. */
export function recordStoreLoss(log: Log, { shard, seenAt }: { readonly shard: string; readonly seenAt: number }): void {
  log.error(
    { shard, ...(seenAt > 0 ? { lastSeen: new Date(seenAt).toISOString() } : {}) },
    `The state store has lost writes of shard ${shard} that it had acknowledged: an older copy was restored, or a failover lost the newest. ` +
      `Approvals now voids every grant, and writes that cannot be repeated safely wait in this shard. Find out what was lost, look at the targets of ` +
      `its last writes, then run "toolbus era resume ${shard}".`,
  );
  measure(metricNames.storeLosses, 1, { [attributeNames.shard]: shard });
}

/** Logs that approvals does not yet know about the loss of writes. */
export function recordUnreportedLoss(log: Log, error: unknown): void {
  log.warn({ error }, "approvals could not be told that the state store lost writes; it is tried again until it is");
}
