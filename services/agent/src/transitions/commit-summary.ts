import type { ContextDocument, Run } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { withContext } from "../context/context-document.ts";
import { Draft } from "./draft.ts";
import { holds } from "./holds.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Rules } from "./rules.ts";

export interface SummaryStep {
  readonly snapshot: Snapshot;
  readonly epoch: number;
  readonly document: ContextDocument;
  /** The run's usage, including the call for the summary. A summary is not a turn, so `modelCalls` stays unchanged. */
  readonly usage: Run["usage"];
}

/**
 * Ends a step that wrote a summary instead of a turn. The run is ready again in the same round, its lease ends, and a wake is sent. Returns null if
 * this epoch no longer holds the run.
 */
export function commitSummary({ snapshot, epoch, document, usage }: SummaryStep, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (!holds(epoch, run)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { now } = draft;
  draft.setRun({ lease: null, attempts: 0, activeMs: draft.activeMs, stepStartedAt: now, usage });
  draft.runTimer(rules.config.POLL_MS);
  draft.wake(draft.run, `${run.round}.${epoch}.context`);
  return withContext(draft.build(`context:${run.runId}:${epoch}`), document);
}
