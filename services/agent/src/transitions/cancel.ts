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
  /** The inbox entry that asked for the cancel: a cancel entry, or a message that interrupts. */
  readonly entryId: string;
  readonly by: string;
}

/**
 * Cancels a run, so that it begins no new work. Reads, questions and writes that were not sent end at once. A sent write is stopped if it has not
 * begun to send. Otherwise the run waits for the write's real outcome. Returns null if the run has ended or was already cancelled.
 */
export function cancelRun(snapshot: Snapshot, input: CancelInput, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (run.endedAt !== null || run.cancel) return null;
  const draft = new Draft(snapshot, rules);
  cancelInto(draft, input);
  return draft.build(`cancel:${run.runId}`);
}

/** Cancels the draft's run as a part of its commit. The run must have neither ended nor been cancelled. */
export function cancelInto(draft: Draft, { entryId, by }: CancelInput): void {
  const { now, run } = draft;
  // The epoch rises, so an agent that still waits for a model call can no longer commit its turn.
  draft.setRun({ cancel: { entryId, by, at: now }, epoch: run.epoch + 1, lease: null });
  draft.event({ type: "run.cancelling", at: now, by });
  if (run.status !== "waiting") return endCancelled(draft);
  for (const call of draft.open) {
    // This includes a sent write that waits for a fresh grant, because an earlier invoke may still arrive.
    if (call.kind === "write" && call.dispatch > 0) {
      withdrawRequest(draft, call);
      draft.stop(call, "cancelled");
      draft.setCall({ ...call, state: "dispatched" }, 0);
    } else endCall(draft, call, failedResult("cancelled", "The run was cancelled before this call was done."));
  }
  finishRound(draft);
}

/** Ends a cancelled run that has no open call left. */
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
