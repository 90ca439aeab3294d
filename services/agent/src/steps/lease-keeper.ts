import { type Run, shardOf } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
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
  const controller = new AbortController();
  let why: Interrupted | null = null;
  let beating: Promise<void> | null = null;
  let stopped = false;
  let beats = 0;
  const onStopping = (): void => interrupt("stopping", stopping.reason);
  const deadline = setTimeout(() => interrupt("too_long", new DOMException("The step took too long.", "TimeoutError")), Math.max(0, forMs));
  if (stopping.aborted) onStopping();
  else stopping.addEventListener("abort", onStopping, { once: true });
  let timer = nextBeat();
  return {
    signal: controller.signal,
    interrupted: () => why,
    async stop() {
      stopped = true;
      clearTimeout(deadline);
      clearTimeout(timer);
      stopping.removeEventListener("abort", onStopping);
      await beating;
    },
  };

  function interrupt(reason: Interrupted, error: unknown): void {
    why ??= reason;
    controller.abort(error);
  }

  function nextBeat(): NodeJS.Timeout {
    return setTimeout(() => {
      beating = beat().finally(() => {
        if (!stopped && why === null) timer = nextBeat();
      });
    }, rules.config.RUN_RENEW_MS);
  }

  async function beat(): Promise<void> {
    const snapshot = await snapshots.load(run.runId).catch(() => null);
    // If the store does not answer, the lease may still be valid. The epoch protects the run in any case.
    if (!snapshot || stopped) return;
    const change = renew(snapshot, run.epoch, ++beats, rules);
    if (!change) return interrupt("lost", new Error("the run's lease was lost"));
    const reply = await outbox.commit(shardOf(run.runId), change).catch(() => null);
    if (reply?.outcome === "ok") snapshots.written(snapshot, change, reply);
  }
}
