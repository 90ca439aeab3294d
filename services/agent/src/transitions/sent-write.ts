import { type Call, failedResult, type ToolResult } from "@toolbus/contracts";
import type { Draft } from "./draft.ts";

/**
 * Returns the time until which a worker may begin this write, based on what was sent so far. The store refuses every later begin. Returns 0 if
 * nothing was sent.
 */
export function mayBeginUntil({ dispatch, notAfter, grantExpiresAt }: Call): number {
  if (dispatch === 0) return 0;
  return Math.min(notAfter ?? Number.POSITIVE_INFINITY, grantExpiresAt ?? Number.POSITIVE_INFINITY);
}

/**
 * Waits for the ledger. A sent write must not end while a worker may still begin it. The timer makes the agent read the ledger when no worker can
 * begin the write any more.
 */
export function waitForLedger(draft: Draft, call: Call): void {
  const left = mayBeginUntil(call) - draft.now;
  draft.setCall({ ...call, state: "dispatched" }, Math.max(1, Math.min(left + 1, draft.rules.config.REDISPATCH_MAX_MS)));
}

/** Returns the result of a write whose approval was not used in time. */
export function lapsed(): ToolResult {
  return failedResult(
    "approval_lapsed",
    "The approval was not used in time and is void. Ask the person to start again if it is still wanted.",
  );
}
