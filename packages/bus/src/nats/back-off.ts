/** The delays between attempts, in milliseconds. */
export interface BackOff {
  /** Returns the next delay. The delay doubles each time up to the longest, and half of it is random. */
  next(): number;
  /** Starts again with the first delay. The caller must call it after a successful attempt. */
  reset(): void;
}

export function backOff({ firstMs, longestMs, random }: BackOffOptions): BackOff {
  let ms = firstMs;
  return {
    next() {
      const now = ms * (0.5 + random() / 2);
      ms = Math.min(ms * 2, longestMs);
      return now;
    },
    reset() {
      ms = firstMs;
    },
  };
}

export interface BackOffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}
