/** Limits how many calls act on one dependency at the same time, so that a slow dependency cannot take every call of the process. */
export interface Bulkhead {
  /**
   * Waits for a free place until the signal aborts. The signal is only created if the call has to wait. Returns the function that gives the place back,
   * or null if none became free. Returns null at once if as many calls wait as may run, so that a few calls wait and not the whole queue.
   */
  enter(until: () => AbortSignal): Promise<(() => void) | null>;
}

export function bulkhead(limit: number): Bulkhead {
  let running = 0;
  const waiting = new Set<(free: boolean) => void>();
  return {
    async enter(until) {
      if (running < limit) running++;
      else if (waiting.size >= limit || !(await nextFree(until()))) return null;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        leave();
      };
    },
  };

  function nextFree(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => {
      waiting.delete(resolve);
      resolve(false);
    };
    waiting.add(resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) return void running--;
    // The place goes directly to the call that has waited longest, so no new call can overtake it.
    waiting.delete(next);
    next(true);
  }
}
