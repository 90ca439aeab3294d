import type { Call, CallQuestions, RunEvent, ToolQuestion } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import type { Rules } from "./rules.ts";
import type { Snapshot } from "./snapshot.ts";

/** Adds the questions that the worker stored to the events of the run. Returns null if the events have all of them. */
export function questionsNoted(snapshot: Snapshot, call: Call, rules: Rules): Change | null {
  const draft = new Draft(snapshot, rules);
  const noted = noteQuestions(draft, call, snapshot.questions);
  if (noted === call) return null;
  draft.noteCall(noted);
  return draft.build(`questions:${call.callId}`);
}

/**
 * Appends an event for each question of the call that the events do not have, and one for each end. A question of an earlier attempt stays in the
 * call. Returns the updated call, which the caller stores.
 */
export function noteQuestions(draft: Draft, call: Call, stored: CallQuestions | undefined): Call {
  if (!stored || call.state !== "dispatched") return call;
  const seen = new Map((call.questions ?? []).map(({ id, ended }) => [id, ended]));
  const events = stored.questions.flatMap((question) => eventsOf(draft.now, call, { stored, question, seen: seen.get(question.id) }));
  if (events.length === 0) return call;
  draft.event(...events);
  return { ...call, questions: stored.questions.map(({ id, ended }) => ({ id, ended: ended !== undefined })) };
}

/** Appends the end of each open question, because its call ends. */
export function endQuestions(draft: Draft, { callId, toolName: tool, questions = [] }: Call): void {
  for (const { id: questionId, ended } of questions)
    if (!ended) draft.event({ type: "question.ended", at: draft.now, callId, tool, questionId, outcome: "cancelled" });
}

function eventsOf(
  at: number,
  { callId, toolName: tool }: Call,
  { stored, question, seen }: { readonly stored: CallQuestions; readonly question: ToolQuestion; readonly seen: boolean | undefined },
): readonly RunEvent[] {
  const { id: questionId, message, form, expiresAt, ended } = question;
  const about = { at, callId, tool, questionId };
  const { from, untrusted } = stored;
  const asked: RunEvent = { type: "question.asked", ...about, from, untrusted, message, ...(form ? { form } : {}), expiresAt };
  const end = ended && { ...about, outcome: ended.outcome, ...(ended.reason === undefined ? {} : { reason: ended.reason }) };
  return [...(seen === undefined ? [asked] : []), ...(end && seen !== true ? [{ type: "question.ended" as const, ...end }] : [])];
}
