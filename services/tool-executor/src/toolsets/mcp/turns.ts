/** Waits for a turn. Returns a function that ends the turn. Rejects if the signal aborts first. */
export type Turns = (signal: AbortSignal) => Promise<() => void>;

/**
 * Lets at most `most` take a turn at the same time. The others wait in the order in which they came. A turn ends after `heldMs` milliseconds by itself, so
 * that one that hangs does not stop the others.
 */
export function turnsOf(most: number, heldMs: number): Turns {
  let free = most;
  const waiting = new Set<() => void>();
  return async (signal) => {
    signal.throwIfAborted();
    if (free > 0) free--;
    else await nextIn(waiting, signal);
    const timer = setTimeout(end, heldMs);
    timer.unref();
    let ended = false;
    return end;

    function end(): void {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      const [next] = waiting;
      if (!next) free++;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}

async function nextIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const give = (): void => {
    waiting.delete(resolve);
    reject(signal.reason);
  };
  waiting.add(resolve);
  signal.addEventListener("abort", give, { once: true });
  await promise.finally(() => signal.removeEventListener("abort", give));
}
