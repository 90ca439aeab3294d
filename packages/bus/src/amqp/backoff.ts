/**
 * Returns the delay before attempt `n` (from 1) to restore something, in milliseconds. The delay grows from 100 ms to 5 s. A random factor shortens
 * it by up to half.
 */
export function backoffMs(n: number, random: () => number): number {
  const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(n - 1, 30));
  return longest * (0.5 + random() / 2);
}

const SHORTEST_MS = 100;
const LONGEST_MS = 5000;
