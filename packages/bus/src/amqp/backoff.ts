/** How long to wait before try `n` (1 the first time) to restore something, in milliseconds; from 100 ms to 5 s, spread by half. */
export function backoffMs(n: number, random: () => number): number {
  const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(n - 1, 30));
  return longest * (0.5 + random() / 2);
}

const SHORTEST_MS = 100;
const LONGEST_MS = 5000;
