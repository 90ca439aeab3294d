import type { Clockwork, Step } from "./clockwork.ts";
import { leaveProcess } from "./sim-process.ts";
import { real } from "./virtual-time.ts";

export interface DriveOptions {
  /** The virtual time at which it stops. */
  readonly until: number;
  /** Called before each event; false stops. */
  readonly goOn: (step: Step) => boolean;
  /** Called after each event and all its microtasks; false stops. */
  readonly settled: () => boolean;
}

// Between two immediates of one batch, Node runs all microtasks and nothing else. So one turn of its event loop suffices for a whole batch.
const BATCH = 64;

/** Runs events one after another, each with all its microtasks, until nothing is due or a callback stops it. */
export function drive(clockwork: Clockwork, { until, goOn, settled }: DriveOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let over = false;
  batch();
  return promise;

  function batch(): void {
    for (let i = 0; i < BATCH; i++) real.setImmediate(turn);
    real.setImmediate(() => {
      // Between batches, code outside the simulated processes gets its turn.
      leaveProcess();
      if (over) resolve();
      else batch();
    });
  }

  function turn(): void {
    if (over) return;
    try {
      over = !oneStep();
    } catch (error) {
      over = true;
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function oneStep(): boolean {
    leaveProcess();
    if (!settled()) return false;
    const next = clockwork.advance(until);
    if (!next || !goOn(next.step)) return false;
    next.run();
    return true;
  }
}
