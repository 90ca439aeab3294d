import type { RunView } from "@toolbus/contracts";
import { readRun } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";
import { meantBy } from "./follow-run.ts";

/** Answers a question of a run's model. If several questions are open, `--call` selects one. */
export async function answerRun(context: Context, typed: string | undefined, answer: string, call?: string): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const callId = call === undefined ? undefined : idOf("call", call);
  if (answer.trim() === "") throw new Failure(EXIT.usage, "The answer is empty: type some text.");
  const gateway = await context.gateway();
  const question = questionOf(readRun(await gateway.get(`/v1/runs/${runId}`)), callId);
  const headers = { "idempotency-key": context.around.newId() };
  const body = { callId: question.callId, text: meantBy(answer.trim(), question.options ?? []) };
  const said = await gateway.post(`/v1/runs/${runId}/answers`, body, headers);
  const { output } = context;
  if (output.json) output.document(said);
  else output.lines([`Answered: ${safeText(question.question ?? "")}`, `The run continues: ${SELF} runs watch ${runId}`]);
  return EXIT.ok;
}

function questionOf({ runId, status, awaiting = [] }: RunView, callId: string | undefined): NonNullable<RunView["awaiting"]>[number] {
  const open = awaiting.filter((waits) => waits.kind === "answer" && (callId === undefined || waits.callId === callId));
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
