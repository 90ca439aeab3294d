export interface Gathered<T> {
  /** All values, or null if some were not there in time. */
  readonly all: readonly T[] | null;
  /** The milliseconds since the first value. */
  readonly sinceFirstMs: number;
}

/** Waits for all values, but not longer than `withinMs` milliseconds after the first one. The promises must not reject. */
export async function gathered<T>(values: readonly Promise<T>[], withinMs: number, monotonic: () => number): Promise<Gathered<T>> {
  const all = Promise.all(values);
  if (values.length === 1) return { all: await all, sinceFirstMs: 0 };
  await Promise.race(values);
  const began = monotonic();
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), withinMs);
  try {
    return { all: await Promise.race([all, late]), sinceFirstMs: monotonic() - began };
  } finally {
    clearTimeout(timer);
  }
}
