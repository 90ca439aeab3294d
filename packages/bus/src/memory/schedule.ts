/** Runs a task once after `ms` milliseconds, and returns a function that cancels it. With 0 the task runs as soon as the caller's turn is over. */
export type Schedule = (task: () => void, ms: number) => () => void;

/** A schedule on Node's own timers, which do not keep the process alive. */
export const nodeSchedule: Schedule = (task, ms) => {
  if (ms <= 0) {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  // The delay is rounded up, because a timer must not fire early. It is limited, because Node fires at once above its largest delay.
  const timer = setTimeout(task, Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
  return () => clearTimeout(timer);
};

/** A schedule whose tasks can be cancelled together. */
export interface CancellableSchedule {
  readonly schedule: Schedule;
  /** Cancels all pending tasks and drops tasks that are scheduled later. */
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
