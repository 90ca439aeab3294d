import type { Ahead } from "./ahead.ts";

/** The changes that ride in this process. */
export interface Rides {
  /**
   * Returns the version of the documents of a new ride. It is negative, so no stored document has it. No other ride of this process has it either.
   * Otherwise one ride could continue with a transcript that another ride has extended.
   */
  pending(): number;
  /**
   * Calls `ride`, but only once at a time for each key. `begun` must be called with the ride when there is one. If another ride has the key, its change
   * is committed alone now, so that the caller finds it in the store, and the result is false.
   */
  once(key: string, ride: (begun: (ahead: Ahead) => void) => Promise<boolean>): Promise<boolean>;
}

export function newRides(): Rides {
  const underWay = new Map<string, Promise<Ahead | null>>();
  let last = 0;
  return {
    pending: () => --last,
    async once(key, ride) {
      const other = underWay.get(key);
      if (other) {
        await (await other)?.store();
        return false;
      }
      const { promise, resolve } = Promise.withResolvers<Ahead | null>();
      underWay.set(key, promise);
      try {
        return await ride(resolve);
      } finally {
        underWay.delete(key);
        resolve(null);
      }
    },
  };
}
