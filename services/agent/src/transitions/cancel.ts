import { failedResult } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import { finishRound } from "./finish-round.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Rules } from "./rules.ts";
import { endCall } from "./end-call.ts";
import { endRun, sayEarlyEnd } from "./end-run.ts";
import { withdrawRequest } from "./request-grant.ts";

const CANCELLED = "The run was cancelled.";

export interface CancelInput {
  /** The inbox entry that asked for it: a cancel, or a message that interrupts. */
  readonly entryId: string;
  readonly by: string;
}

/**
 * Cancels a run: no new work. Reads, questions and writes that were not sent end at once; a sent write is stopped if it has not begun to send, and
 * otherwise the run waits for its real outcome. Null if the run has ended or was already cancelled.
 */
export function cancelRun(snapshot: Snapshot, input: CancelInput, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (run.endedAt !== null || run.cancel) return null;
  const draft = new Draft(snapshot, rules);
  cancelInto(draft, input);
  return draft.build(`cancel:${run.runId}`);
}

/** The same within a commit that does more: the run of the draft has neither ended nor been cancelled. */
export function cancelInto(draft: Draft, { entryId, by }: CancelInput): void {
  const { now, run } = draft;
  // The epoch rises: a model call that is still running can commit nothing any more.
  draft.setRun({ cancel: { entryId, by, at: now }, epoch: run.epoch + 1, lease: null });
  draft.event({ type: "run.cancelling", at: now, by });
  if (run.status !== "waiting") return endCancelled(draft);
  for (const call of draft.open) {
    // Also one that waits for a fresh grant: an earlier invoke may still arrive.
    if (call.kind === "write" && call.dispatch > 0) {
      withdrawRequest(draft, call);
      draft.stop(call, "cancelled");
      draft.setCall({ ...call, state: "dispatched" }, 0);
    } else endCall(draft, call, failedResult("cancelled", "The run was cancelled before this call was done."));
  }
  finishRound(draft);
}

/** Ends a cancelled run that has nothing open any more. */
export function endCancelled(draft: Draft): void {
  const { report, usage, cancel } = draft.run;
  const text = sayEarlyEnd(draft, CANCELLED);
  endRun(
    draft,
    { type: "run.cancelled", at: draft.now, by: cancel?.by ?? "unknown", ...(text === CANCELLED ? {} : { message: text }), report, usage },
    "cancelled",
    {
      text,
      code: "cancelled",
    },
  );
}
