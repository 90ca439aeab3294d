import type { Call } from "@toolbus/contracts";
import type { Rules } from "./rules.ts";

/**
 * Returns how long the agent waits for an answer after it has sent a message for the n-th time, in milliseconds. The wait doubles each time, up to a
 * limit.
 */
export function resendAfter(times: number, { config: { REDISPATCH_MS, REDISPATCH_MAX_MS } }: Rules): number {
  return Math.min(REDISPATCH_MS * 2 ** (times - 1), REDISPATCH_MAX_MS);
}

/**
 * Returns how long the agent waits for the answer to a call after its latest dispatch, in milliseconds. The broker has no copy of a call that this
 * process makes itself. If the process dies, only the call's timer makes the call again, so the timer is due as early as a lost lease.
 */
export function resendCallAfter({ dispatch, toolset, timeoutMs }: Call, rules: Rules): number {
  const wait = resendAfter(dispatch, rules);
  return rules.servesHere?.(toolset) ? Math.min(wait, Math.max(rules.config.RUN_LEASE_MS, timeoutMs)) : wait;
}
