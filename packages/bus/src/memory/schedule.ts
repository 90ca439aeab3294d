/** Runs a task once, `ms` milliseconds from now (0: as soon as the caller's turn is over); the returned function cancels it. */
export type Schedule = (task: () => void, ms: number) => () => void;

/** Node's own clockwork. It keeps no process alive. */
export const nodeSchedule: Schedule = (task, ms) => {
  if (ms <= 0) {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  // Rounded up, because a timer must not fire early; above the largest delay Node would fire at once.
  const timer = setTimeout(task, Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
  return () => clearTimeout(timer);
};

/** A schedule whose tasks can be cancelled together. */
export interface CancellableSchedule {
  readonly schedule: Schedule;
  /** Cancels what is scheduled and drops what is scheduled later. */
  cancelAll(): void;
}

export function cancellableSchedule(schedule: Schedule): CancellableSchedule {
  const pending = new Set<() => void>();
  let cancelled = false;
  return {
    schedule(task, ms) {
      if (cancelled) return () => undefined;
      const cancelTask = schedule(() => {
        pending.delete(cancel);
        task();
      }, ms);
      const cancel = (): void => {
        pending.delete(cancel);
        cancelTask();
      };
      pending.add(cancel);
      return cancel;
    },
    cancelAll() {
      cancelled = true;
      for (const cancel of pending) cancel();
    },
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;
