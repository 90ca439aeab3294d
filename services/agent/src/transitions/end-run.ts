import { endedAfterWrites, type Run, type RunEnd } from "@toolbus/contracts";
import { afterRun } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import { fittedEnding } from "./run-size.ts";
import { startedEvent } from "./started.ts";
import { joinedTaint } from "./taint.ts";

/**
 * Returns the message with which a run ends early. If the run has made writes, the message begins with them and is added to the conversation.
 * Otherwise people and the model's next turn might think that the run did nothing.
 */
export function sayEarlyEnd(draft: Draft, reason: string): string {
  const text = endedAfterWrites(draft.run.writes, reason);
  if (text === reason) return reason;
  const { runId, round } = draft.run;
  draft.transcript({ type: "assistant", runId, round, text, calls: [], at: draft.now, provider: "toolbus", model: "end" });
  return text;
}

/** Ends the run, adds its usage to its conversation, and frees the conversation for the first waiting run. */
export function endRun(draft: Draft, end: RunEnd, status: "done" | "failed" | "cancelled", ending: Run["ending"]): void {
  draft.setRun({ status, lease: null, endedAt: draft.now, ending: ending && fittedEnding(draft.run, ending) });
  draft.runTimer(null);
  const { writes } = draft.run;
  draft.event(writes ? { ...end, writes } : end);
  const { next } = draft;
  draft.conversation = afterRun(draft.conversation, draft.run, next?.value ?? null);
  if (!next || draft.conversation.activeRun !== next.value.runId) return;
  const { runId, message } = next.value;
  if (message) draft.transcript({ type: "user", runId, ...message });
  const taint = joinedTaint(draft.conversation.taint, next.value.taint);
  const { choice, ...waited } = next.value;
  const started: Run = { ...waited, ...taint, message: null, status: "ready", startedAt: draft.now, stepStartedAt: draft.now };
  draft.otherRun(next, started, [startedEvent({ ...started, ...(choice ? { choice } : {}) }, draft.rules, draft.now)]);
}
