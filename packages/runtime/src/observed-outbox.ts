import type { Change } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Outbox } from "./outbox.ts";

/**
 * The same outbox, with somebody who is told of every change that was committed: metrics and audit see what became true in one place, and no
 * transition knows of them. What goes wrong there is logged and harms nothing. A process that dies just after a commit tells nobody.
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
