import { type ContextDocument, type Json, keys, type Run } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft, type Snapshot } from "../loop/draft.ts";
import { wakeMessage } from "../loop/messages.ts";
import type { Rules } from "../loop/rules.ts";

// See `RENEWED_MS` in context-for.ts.
const KEPT_MS = 60 * 86_400_000;

/**
 * The change with the conversation's context document as it is from now on. It needs no guard of its own: only the holder of the conversation's active
 * run writes it, and the change is guarded by that run.
 */
export function withContext(change: Change, document: ContextDocument | undefined): Change {
  if (!document) return change;
  const put = { key: keys.context(document.conversationId), value: document as unknown as Json, expiresAt: document.writtenAt + KEPT_MS };
  return { ...change, put: [...(change.put ?? []), put] };
}

export interface SummaryStep {
  readonly snapshot: Snapshot;
  readonly epoch: number;
  readonly document: ContextDocument;
  /** What the run has used with the summary's call. It is no turn, so `modelCalls` stays as it is. */
  readonly usage: Run["usage"];
}

/**
 * Ends a step that wrote a summary instead of a turn: the run is ready again at the same round, its lease given back and its wake on the way. Null
 * when another epoch holds the run by now.
 */
export function commitSummary({ snapshot, epoch, document, usage }: SummaryStep, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (run.epoch !== epoch || run.status !== "ready") return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { now } = draft;
  draft.setRun({ lease: null, attempts: 0, activeMs: draft.activeMs, stepStartedAt: now, usage });
  draft.runTimer(rules.config.POLL_MS);
  draft.send(wakeMessage(draft.run, rules, now, `${run.round}.${epoch}.context`));
  return withContext(draft.build(`context:${run.runId}:${epoch}`), document);
}
