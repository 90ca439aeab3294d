import { counted } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { endCancelled } from "./cancel.ts";
import { Draft } from "./draft.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Rules } from "./rules.ts";
import { endRun, sayEarlyEnd } from "./end-run.ts";

/** The reason why a run may not take another step. */
export interface Stopped {
  readonly code: string;
  readonly message: string;
}

/** A run fails after this number of attempts at one round, whatever prevented the commit of the round. */
export const MAX_ATTEMPTS = 10;
/** The code of a run that was stopped because it made no progress. */
export const LOOP = "loop";
const MAX_REPEATS = 3;
const MAX_FRUITLESS = 5;

/**
 * Returns the limit that a ready run has reached before its next step, else null. The limits are rounds, active time, loops and failed attempts at a
 * round.
 */
export function limitReached(snapshot: Snapshot, rules: Rules): Stopped | null {
  const run = snapshot.run.value;
  const limits = rules.profile(run.profile)?.limits;
  if (!limits) return { code: "profile_unknown", message: `This agent no longer knows the profile "${run.profile}".` };
  if (run.attempts >= MAX_ATTEMPTS)
    return { code: "poison_run", message: `Round ${run.round} could not be committed in ${counted(run.attempts, "attempt")}.` };
  // Round 0 is the seed, so rounds 1 to maxRounds may call the model.
  if (run.round > limits.maxRounds)
    return { code: "round_limit", message: `The run used its ${counted(limits.maxRounds, "round")} without an answer.` };
  if (run.activeMs >= limits.activeMs) return timeLimit(limits.activeMs);
  if (run.repeats.count >= MAX_REPEATS)
    return { code: LOOP, message: `The model asked for the same calls ${run.repeats.count} times in a row.` };
  if (run.fruitless >= MAX_FRUITLESS) return { code: LOOP, message: `No call of the last ${counted(run.fruitless, "round")} succeeded.` };
  return null;
}

export function timeLimit(activeMs: number): Stopped {
  return { code: "time_limit", message: `The run used its ${Math.round(activeMs / 1000)} s of active time without an answer.` };
}

/** Ends a run that failed. */
export function failRun(snapshot: Snapshot, stopped: Stopped, rules: Rules): Change {
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { report, usage, runId, epoch } = draft.run;
  const { code } = stopped;
  const message = sayEarlyEnd(draft, stopped.message);
  draft.setRun({ activeMs: draft.activeMs });
  endRun(draft, { type: "run.failed", at: draft.now, code, message, report, usage }, "failed", { text: message, code });
  return draft.build(`end:${runId}:${epoch}`);
}

/** Ends a cancelled run whose last call is resolved. */
export function finishCancel(snapshot: Snapshot, rules: Rules): Change {
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  endCancelled(draft);
  return draft.build(`end:${draft.run.runId}:cancelled`);
}
