import { failedResult } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import type { Snapshot } from "./snapshot.ts";
import { resolveCall } from "./resolve-call.ts";
import type { Rules } from "./rules.ts";
import { knownIn, noteWorker, type WorkerSeen } from "./unserved.ts";

/**
 * Handles the timer of a waiting run. When the active time is used up, unanswered reads end as timed out, so that the run can end. Questions and
 * writes stay open, because people, workers or the ledger decide their outcome. A read also stays open while the agent does not know whether a worker
 * is alive that could answer it. Time without a worker is not active time. `seen` returns what the registry says about the workers of a call.
 */
export function checkWaiting(snapshot: Snapshot, rules: Rules, seen: (callId: string) => WorkerSeen = () => undefined): Change {
  const draft = new Draft(snapshot, rules);
  for (const call of draft.open) noteWorker(draft, call, seen(call.callId));
  const left = (draft.profile?.limits.activeMs ?? 0) - draft.activeMs;
  const reads = draft.open.filter((call) => call.kind !== "write" && call.state !== "asked");
  const unserved = reads.some((call) => call.unservedSince !== undefined);
  // Without an open read, this timer has no work. It is still set, because every run that has not ended has a timer.
  draft.runTimer(left > 0 && reads.length > 0 ? Math.max(unserved ? rules.config.REDISPATCH_MS : 1000, left) : IDLE_MS);
  if (left <= 0) {
    for (const call of reads) {
      const known = knownIn(draft, call, seen(call.callId));
      // The call's own timer is due by then. It records whether a worker is alive.
      if (known !== null) draft.runTimer(known + 1);
      else resolveCall(draft, call, failedResult("timeout", `"${call.toolName}" did not answer within the run's active time.`));
    }
  }
  return draft.build(`waiting:${draft.run.runId}:${snapshot.run.version}`);
}

const IDLE_MS = 60_000;
