import {
  type Call,
  callParts,
  type CallQuestions,
  contentProblems,
  type Json,
  keys,
  parseCall,
  parseCallQuestions,
  parseQuestionAnswer,
  type QuestionAnswer,
  type QuestionAnswerRequest,
  type QuestionOutcome,
  shardOf,
  type ToolQuestion,
} from "@toolbus/contracts";
import { keyReused, refused, type Refused } from "../refused.ts";
import { findRun } from "../run-access.ts";
import type { AnswerAccepted } from "./answer-question.ts";
import { type Inbound, newRequestId, type Request, TRIES } from "./inbound.ts";
import { keyHashOf } from "./request-hash.ts";

/**
 * Accepts the requester's answer to a question of a tool. A question has one answer, which is the first that is accepted. The commit has the question
 * as a guard, and the store refuses it after the question has expired. So the worker that asked either reads this answer, or the caller is told that
 * the question is over.
 */
export async function answerTool(
  inbound: Inbound,
  { principal, key, runId, body }: Request & { readonly runId: string; readonly body: QuestionAnswerRequest },
): Promise<AnswerAccepted | Refused> {
  const { state, outbox } = inbound;
  const { callId, questionId, action, content } = body;
  const keyHash = keyHashOf(principal, key);
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const run = await findRun(state, runId, principal);
    if (run.kind === "refused") return run;
    if (run.origin.principal !== principal.id)
      return refused("forbidden", "Only the one who started a run answers the questions of its tools.", "Ask them to answer.");
    if (callParts(callId).runId !== runId) return badRequest("/callId", `must be a call of ${runId}`);
    const found = await findQuestion(state, { callId, questionId });
    if (!found) return refused("not_asked", "This call has asked no such question.", READ_THE_RUN);
    const { call, question, answer, now } = found;
    if (answer.value) {
      if (keyHash === undefined || answer.value.keyHash !== keyHash)
        return refused("not_asked", "This question has already been answered.", READ_THE_RUN);
      return isSame(answer.value, body) ? { kind: "accepted", run, replayed: true } : keyReused();
    }
    if (run.run && run.run.endedAt !== null)
      return refused("run_ended", `The run has ended: ${run.run.status}.`, "Start a new one if it is still wanted.");
    const over = whyOver(call, question, now);
    if (over !== null) return refused("not_asked", over, READ_THE_RUN);
    if (action === "accept" && content === undefined) return badRequest("/content", "is required to accept");
    if (action === "decline" && content !== undefined) return badRequest("/content", "must be absent to decline");
    const problems = content === undefined ? [] : contentProblems(question.form ?? {}, content);
    if (problems.length > 0)
      return refused(
        "invalid_request",
        "The answer does not fit the form of the question.",
        "Correct these fields and send it again.",
        problems,
      );
    const value: QuestionAnswer = {
      callId,
      questionId,
      action,
      ...(content === undefined ? {} : { content }),
      by: principal.id,
      ...(keyHash === undefined ? {} : { keyHash }),
      at: now,
    };
    const { outcome } = await outbox.commit(shardOf(runId), {
      op: `question-answer:${questionId}:${requestId}`,
      guards: [
        { key: answer.key, version: answer.version },
        { key: keys.questions(call.toolset, callId), version: found.version },
      ],
      notAfter: question.expiresAt,
      put: [{ key: answer.key, value: value as unknown as Json, expiresAt: question.expiresAt + KEPT_MS }],
    });
    if (outcome === "ok") return { kind: "accepted", run, replayed: false };
    if (outcome === "late") return refused("not_asked", TOO_LATE, READ_THE_RUN);
  }
  return refused("conflict", "The answer could not be stored.", "Repeat it.");
}

/** An answer may contain personal data, so it is kept only a little longer than anybody needs it. */
const KEPT_MS = 600_000;
const READ_THE_RUN = "Read the run to see what it waits for.";
const TOO_LATE = "The time to answer is over.";

interface Found {
  readonly now: number;
  readonly call: Call;
  /** The version of the call's questions. */
  readonly version: number;
  readonly question: ToolQuestion;
  readonly answer: { readonly key: string; readonly version: number; readonly value: QuestionAnswer | null };
}

async function findQuestion(
  state: Inbound["state"],
  { callId, questionId }: Pick<QuestionAnswerRequest, "callId" | "questionId">,
): Promise<Found | null> {
  const sent = await state.read([keys.call(callId)]);
  const call = parseCall(sent.documents[0]?.value);
  if (!call.ok) return null;
  const { toolset } = call.value;
  const answerKey = keys.questionAnswer(toolset, callId, questionId);
  const { now, documents } = await state.read([keys.questions(toolset, callId), answerKey]);
  const stored = parseCallQuestions(documents[0]?.value);
  const question = stored.ok ? questionIn(stored.value, callId, questionId) : undefined;
  if (!question) return null;
  const answer = parseQuestionAnswer(documents[1]?.value);
  const value = answer.ok ? answer.value : null;
  return {
    now,
    call: call.value,
    version: documents[0]?.version ?? 0,
    question,
    answer: { key: answerKey, version: documents[1]?.version ?? 0, value },
  };
}

function questionIn(stored: CallQuestions, callId: string, questionId: string): ToolQuestion | undefined {
  return stored.callId === callId ? stored.questions.find(({ id }) => id === questionId) : undefined;
}

function whyOver(call: Call, { ended, expiresAt }: ToolQuestion, now: number): string | null {
  if (ended) return WHY_OVER[ended.outcome];
  if (call.state !== "dispatched") return "The call that asked this question has ended.";
  return now >= expiresAt ? TOO_LATE : null;
}

const WHY_OVER: Readonly<Record<QuestionOutcome, string>> = {
  accepted: "This question has already been answered.",
  declined: "This question has already been answered.",
  expired: TOO_LATE,
  cancelled: "The tool has withdrawn this question.",
  interrupted: "The attempt that asked this question has ended. The next attempt asks again.",
  refused: "Toolbus did not ask this question.",
};

function isSame(answer: QuestionAnswer, { action, content }: QuestionAnswerRequest): boolean {
  return answer.action === action && JSON.stringify(answer.content) === JSON.stringify(content);
}

function badRequest(path: string, message: string): Refused {
  return refused("invalid_request", "The answer is not valid.", "Use a question that the run's view lists as awaited.", [
    { path, message },
  ]);
}
