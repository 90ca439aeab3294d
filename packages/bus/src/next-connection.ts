import { BusUnavailable } from "./message-bus.ts";

/** The callers that wait for the next connection to a broker. */
export interface NextConnection<C> {
  /**
   * Resolves with the next connection. If the signal aborts first, rejects with `BusUnavailable`. The sentence of the error is the one that applies
   * at that time.
   */
  wait(signal: AbortSignal): Promise<C>;
  /** Hands a connection to all waiting callers. */
  tell(connection: C): void;
}

export function nextConnection<C>(whyNone: () => string): NextConnection<C> {
  const waiting = new Set<(connection: C) => void>();
  return {
    async wait(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<C>();
      const giveUp = (): void => reject(new BusUnavailable(whyNone()));
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.add(resolve);
      try {
        return await promise;
      } finally {
        waiting.delete(resolve);
        signal.removeEventListener("abort", giveUp);
      }
    },
    tell(connection) {
      for (const resolve of waiting) resolve(connection);
      waiting.clear();
    },
  };
}
