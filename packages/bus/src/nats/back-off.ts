/** How long to wait before the next try, in milliseconds. */
export interface BackOff {
  /** Twice as long each time, up to the longest, half of it at random. */
  next(): number;
  /** To be called after a successful try. */
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
  /** From 0 up to 1. */
  readonly random: () => number;
}
