import type { JsonObject, RunView } from "@toolbus/contracts";
import { readRun } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";
import { meantBy } from "./follow-run.ts";
import { contentOf, fieldsOf } from "./form-answer.ts";
import { sendAnswer } from "./tool-question.ts";

export interface AnswerOptions {
  /** The call that asks, if several do. */
  readonly call?: string;
  /** Declines the question of a tool. */
  readonly decline?: boolean;
}

/** Answers a question of a run's model or of a tool. If several questions are open, `--call` selects one. */
export async function answerRun(context: Context, typed: string | undefined, answer: string, options: AnswerOptions): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const callId = options.call === undefined ? undefined : idOf("call", options.call);
  const declines = options.decline === true;
  if (declines !== (answer.trim() === ""))
    throw new Failure(EXIT.usage, declines ? "Give an answer or --decline, not both." : "The answer is empty: type some text.");
  const gateway = await context.gateway();
  const question = questionOf(readRun(await gateway.get(`/v1/runs/${runId}`)), callId);
  const headers = { "idempotency-key": context.around.newId() };
  const said =
    question.kind === "question"
      ? await sendAnswer(gateway, toolQuestion(runId, question), declines ? null : contentFor(question, answer), headers)
      : await gateway.post(`/v1/runs/${runId}/answers`, textFor(question, answer, declines), headers);
  const { output } = context;
  if (output.json) output.document(said);
  else
    output.lines([
      `${declines ? "Declined" : "Answered"}: ${safeText(question.question ?? "")}`,
      `The run continues: ${SELF} runs watch ${runId}`,
    ]);
  return EXIT.ok;
}

type Open = NonNullable<RunView["awaiting"]>[number];

function toolQuestion(runId: string, { callId, questionId = "" }: Open) {
  return { runId, callId, questionId };
}

function textFor({ callId, options = [] }: Open, answer: string, declines: boolean): object {
  if (declines) throw new Failure(EXIT.usage, "The model asks this question, and only questions of tools can be declined: type an answer.");
  return { callId, text: meantBy(answer.trim(), options) };
}

function contentFor({ form }: Open, answer: string): JsonObject {
  const content = contentOf(form, answer);
  if (content) return content;
  const names = fieldsOf(form).map(({ name }) => safeText(name));
  throw new Failure(EXIT.usage, `The question has several fields. Type a JSON object with them: ${names.join(", ")}.`);
}

function questionOf({ runId, status, awaiting = [] }: RunView, callId: string | undefined): Open {
  const open = awaiting.filter((waits) => waits.kind !== "approval" && (callId === undefined || waits.callId === callId));
  const [question] = open;
  if (!question) {
    throw new Failure(
      EXIT.failed,
      `${callId ?? runId} does not wait for an answer (${status}): "${SELF} runs show ${runId}" says what it waits for.`,
    );
  }
  if (open.length > 1) {
    throw new Failure(
      EXIT.usage,
      `${runId} asks ${open.length} questions: say which with --call, one of ${open.map((waits) => waits.callId).join(", ")}.`,
    );
  }
  return question;
}
