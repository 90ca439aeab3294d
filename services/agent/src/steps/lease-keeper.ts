import { type Run, shardOf } from "@toolbus/contracts";
import { type Outbox, pause } from "@toolbus/runtime";
import { renew } from "../transitions/acquire.ts";
import type { Rules } from "../transitions/rules.ts";
import type { Snapshots } from "../documents/snapshots.ts";

/** The reason why a step was interrupted. */
export type Interrupted = "stopping" | "lost" | "too_long";

export interface LeaseKeeper {
  /** Aborts when the step has to stop. */
  readonly signal: AbortSignal;
  /** Returns why the step was interrupted, or null if it was not. */
  interrupted(): Interrupted | null;
  stop(): Promise<void>;
}

/**
 * Renews the lease of a step until it is stopped. The signal aborts when the lease is lost, when the step takes longer than `forMs`, or when the
 * process stops.
 */
export function keepLease(
  { outbox, snapshots, rules }: { readonly outbox: Outbox; readonly snapshots: Snapshots; readonly rules: Rules },
  run: Run,
  forMs: number,
  stopping: AbortSignal,
): LeaseKeeper {
  const lost = new AbortController();
  const stopped = new AbortController();
  const deadline = AbortSignal.timeout(forMs);
  const beats = beat();
  return {
    signal: AbortSignal.any([stopping, lost.signal, deadline]),
    interrupted() {
      if (stopping.aborted) return "stopping";
      if (lost.signal.aborted) return "lost";
      return deadline.aborted ? "too_long" : null;
    },
    async stop() {
      // The abort has a constant reason, because a default reason would capture a stack for each step.
      stopped.abort(STOPPED);
      await beats;
    },
  };

  async function beat(): Promise<void> {
    for (let n = 1; ; n++) {
      await pause(rules.config.RUN_RENEW_MS, stopped.signal);
      if (stopped.signal.aborted) return;
      const snapshot = await snapshots.load(run.runId).catch(() => null);
      // If the store does not answer, the lease may still be valid. The epoch protects the run in any case.
      if (!snapshot) continue;
      const change = renew(snapshot, run.epoch, n, rules);
      if (!change) return lost.abort(new Error("the run's lease was lost"));
      const reply = await outbox.commit(shardOf(run.runId), change).catch(() => null);
      if (reply?.outcome === "ok") snapshots.written(snapshot, change, reply);
    }
  }
}

const STOPPED = new Error("the step has ended");
