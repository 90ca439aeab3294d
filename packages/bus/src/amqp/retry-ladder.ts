/** The possible delays before another delivery, in milliseconds. A delay is a "rung". Each topic has a queue for each rung that it ever needed. */
export const RUNGS_MS: readonly number[] = [250, 1000, 5000, 30_000, 120_000];

/**
 * Returns the rung for a requested delay. It is the longest rung that does not exceed the delay, or else the shortest one. For a tenth of a second or
 * less the result is 0, which means at once.
 */
export function rungFor(delayMs: number): number {
  if (!(delayMs > AT_ONCE_MS)) return 0;
  return RUNGS_MS.findLast((rung) => rung <= delayMs) ?? RUNGS_MS[0] ?? 0;
}

const AT_ONCE_MS = 100;
