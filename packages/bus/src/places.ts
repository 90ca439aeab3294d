/** A limited number of places for work of one kind, so that a process does only so much at the same time. */
export interface Places {
  /** Takes a place, or returns null if all are taken or somebody waits for one. */
  tryTake(): Place | null;
  /** Resolves with a place. Those who wait get places in turn. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<Place>;
}

export interface Place {
  /** Gives the place back. Safe to call twice. */
  leave(): void;
}

export function places(count: number): Places {
  let free = count;
  const waiting = new Set<(place: Place) => void>();
  return {
    tryTake: () => (free > 0 && waiting.size === 0 ? taken() : null),
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0 && waiting.size === 0) return taken();
      const { promise, resolve, reject } = Promise.withResolvers<Place>();
      const onAbort = (): void => {
        waiting.delete(resolve);
        reject(signal.reason);
      };
      waiting.add(resolve);
      signal.addEventListener("abort", onAbort, { once: true });
      return promise.finally(() => signal.removeEventListener("abort", onAbort));
    },
  };

  function taken(): Place {
    free--;
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        free++;
        const [next] = waiting;
        if (!next) return;
        waiting.delete(next);
        next(taken());
      },
    };
  }
}
