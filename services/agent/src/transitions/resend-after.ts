import type { Rules } from "./rules.ts";

/**
 * Returns how long the agent waits for an answer after it has sent a message for the n-th time, in milliseconds. The wait doubles each time, up to a
 * limit.
 */
export function resendAfter(times: number, { config: { REDISPATCH_MS, REDISPATCH_MAX_MS } }: Rules): number {
  return Math.min(REDISPATCH_MS * 2 ** (times - 1), REDISPATCH_MAX_MS);
}
