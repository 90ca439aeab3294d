import { type Call, failedResult, type ToolResult } from "@toolbus/contracts";
import type { Draft } from "./draft.ts";

/** Until when a worker may begin this write, by what was sent so far: the store refuses every later begin. 0 if nothing was sent. */
export function mayBeginUntil({ dispatch, notAfter, grantExpiresAt }: Call): number {
  if (dispatch === 0) return 0;
  return Math.min(notAfter ?? Number.POSITIVE_INFINITY, grantExpiresAt ?? Number.POSITIVE_INFINITY);
}

/** A sent write does not end before its ledger can say what became of it: its timer checks when no worker can begin it any more. */
export function waitForLedger(draft: Draft, call: Call): void {
  const left = mayBeginUntil(call) - draft.now;
  draft.setCall({ ...call, state: "dispatched" }, Math.max(1, Math.min(left + 1, draft.rules.config.REDISPATCH_MAX_MS)));
}

/** The result of a write whose approval was not used in time. */
export function lapsed(): ToolResult {
  return failedResult(
    "approval_lapsed",
    "The approval was not used in time and is void. Ask the person to start again if it is still wanted.",
  );
}
