import { failedResult } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import type { Snapshot } from "./snapshot.ts";
import { resolveCall } from "./resolve-call.ts";
import type { Rules } from "./rules.ts";
import { knownIn, noteWorker, type WorkerSeen } from "./unserved.ts";

/**
 * What a waiting run's timer does: when the active time is used up, unanswered reads end as timed out, so that the run can end. Waits for people are left
 * alone, and so are writes: their outcome comes from people, workers or the ledger. So is a read as long as it is not known whether a worker is alive that
 * could answer it: the time without one does not count against the run. `seen` says for a call when a worker was last seen.
 */
export function checkWaiting(snapshot: Snapshot, rules: Rules, seen: (callId: string) => WorkerSeen = () => undefined): Change {
  const draft = new Draft(snapshot, rules);
  for (const call of draft.open) noteWorker(draft, call, seen(call.callId));
  const left = (draft.profile?.limits.activeMs ?? 0) - draft.activeMs;
  const reads = draft.open.filter((call) => call.kind !== "write" && call.state !== "asked");
  const unserved = reads.some((call) => call.unservedSince !== undefined);
  // Due again even if no read is open: every run that has not ended has a timer. Until then there is nothing for it to do.
  draft.runTimer(left > 0 && reads.length > 0 ? Math.max(unserved ? rules.config.REDISPATCH_MS : 1000, left) : IDLE_MS);
  if (left <= 0) {
    for (const call of reads) {
      const known = knownIn(draft, call, seen(call.callId));
      // The call's own timer is due by then, and records it.
      if (known !== null) draft.runTimer(known + 1);
      else resolveCall(draft, call, failedResult("timeout", `"${call.toolName}" did not answer within the run's active time.`));
    }
  }
  return draft.build(`waiting:${draft.run.runId}:${snapshot.run.version}`);
}

const IDLE_MS = 60_000;
