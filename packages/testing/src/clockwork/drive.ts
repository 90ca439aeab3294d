import type { Clockwork, Step } from "./clockwork.ts";
import { leaveProcess } from "./sim-process.ts";
import { real } from "./virtual-time.ts";

export interface DriveOptions {
  /** Virtual time at which it stops. */
  readonly until: number;
  /** Called before each event; false stops. */
  readonly goOn: (step: Step) => boolean;
  /** Called after each event and all its microtasks; false stops. */
  readonly settled: () => boolean;
}

// Node runs all microtasks between two immediates of one batch, and nothing else; one turn of its event loop pays for a whole batch.
const BATCH = 64;

/** Runs events one after the other, each with all its microtasks, until nothing is due or it is told to stop. */
export function drive(clockwork: Clockwork, { until, goOn, settled }: DriveOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let over = false;
  batch();
  return promise;

  function batch(): void {
    for (let i = 0; i < BATCH; i++) real.setImmediate(turn);
    real.setImmediate(() => {
      // Between batches others have their turn, who are no simulated process.
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
