import type { Clockwork, Step } from "./clockwork.ts";
import { leaveProcess } from "./sim-process.ts";
import { real } from "./virtual-time.ts";

export interface DriveOptions {
  /** The virtual time at which the drive stops. */
  readonly until: number;
  /** Invoked before each event. False stops the drive. */
  readonly goOn: (step: Step) => boolean;
  /** Invoked after each event and all its microtasks. False stops the drive. */
  readonly settled: () => boolean;
}

// Between two immediates of one batch, Node executes all microtasks and nothing else. So one turn of its event loop suffices for a whole batch.
const BATCH = 64;

/** Executes events one after another, each with all its microtasks, until nothing is due or a callback stops it. */
export function drive(clockwork: Clockwork, { until, goOn, settled }: DriveOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let over = false;
  batch();
  return promise;

  function batch(): void {
    for (let i = 0; i < BATCH; i++) real.setImmediate(turn);
    real.setImmediate(() => {
      // Between batches, code outside the simulated processes can work.
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
