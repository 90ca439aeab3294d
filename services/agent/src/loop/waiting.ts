import { failedResult } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft, type Snapshot } from "./draft.ts";
import { resolveCall } from "./join.ts";
import type { Rules } from "./rules.ts";

/**
 * What a waiting run's timer does: when the active time is used up, reads that nobody answered end as timed out, so that the run can end.
 * Writes are left alone: their outcome comes from people, workers or the ledger.
 */
export function checkWaiting(snapshot: Snapshot, rules: Rules): Change {
  const draft = new Draft(snapshot, rules);
  const left = (draft.profile?.limits.activeMs ?? 0) - draft.activeMs;
  // Due again even if only writes are open: every run that has not ended has a timer.
  draft.runTimer(left > 0 ? left : 60_000);
  if (left <= 0) {
    for (const call of draft.open) {
      if (call.kind !== "write")
        resolveCall(draft, call, failedResult("timeout", `"${call.toolName}" did not answer within the run's active time.`));
    }
  }
  return draft.build(`waiting:${draft.run.runId}:${snapshot.run.version}`);
}
