import type { Change } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Outbox } from "./outbox.ts";

/**
 * Returns the outbox with an observer of every committed change. So metrics and audit see all changes in one place, and the transitions need no code
 * for metrics and audit. If the observer throws, the outbox only logs the error. If the process dies just after a commit, the observer misses this
 * commit.
 */
export function observedOutbox(outbox: Outbox, observe: (change: Change, now: number) => void, log: Log): Outbox {
  return {
    async commit(shard, change) {
      const reply = await outbox.commit(shard, change);
      if (reply.outcome === "ok") tell(change, reply.now);
      return reply;
    },
    stop: () => outbox.stop(),
  };

  function tell(change: Change, now: number): void {
    try {
      observe(change, now);
    } catch (error) {
      log.error({ error }, "what was committed could not be recorded for metrics and audit");
    }
  }
}
