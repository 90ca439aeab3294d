/** How long deliveries can wait before they come again, in milliseconds. Each topic has a queue for each of these that it ever needed. */
export const RUNGS_MS: readonly number[] = [250, 1000, 5000, 30_000, 120_000];

/**
 * The rung for a requested delay: the longest that does not exceed it, between the shortest and the last one. A tenth of a second or less is at once, which
 * is 0.
 */
export function rungFor(delayMs: number): number {
  if (!(delayMs > AT_ONCE_MS)) return 0;
  return RUNGS_MS.findLast((rung) => rung <= delayMs) ?? RUNGS_MS[0] ?? 0;
}

const AT_ONCE_MS = 100;
