/** The wait before the second attempt. */
export const firstWaitMs = 250;
const LONGEST_WAIT_MS = 60_000;
/** A connection that held for this long was a good one. */
const HELD_MS = 30_000;

/** How long to wait now: twice as long as before, at most a minute, and the shortest wait again after a connection that held. */
export function nextWaitMs(before: number, heldMs: number): number {
  return heldMs >= HELD_MS ? firstWaitMs : Math.min(LONGEST_WAIT_MS, before * 2);
}
