import type { RunView } from "@toolbus/contracts";
import { readRun } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import { answerCommand } from "./follow-run.ts";
import { fieldLines, fieldsOf } from "./form-answer.ts";
import { spanOf, tookOf } from "../terminal/duration.ts";
import { paragraphs, terminalWidth, WIDTH, wrapped } from "../terminal/lines.ts";
import type { Paint } from "../terminal/output.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";
import { callFields } from "./call-lines.ts";
import { reportLines } from "./report-lines.ts";
import { CUT_OFF, subjectOf } from "./run-lines.ts";
import { usageText } from "./usage-text.ts";

/** Shows the state of a run: what it waits for, or how it ended. */
export async function showRun(context: Context, typed: string | undefined): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const gateway = await context.gateway();
  const run = readRun(await gateway.get(`/v1/runs/${runId}`));
  const { output, around } = context;
  if (output.json) output.document(run);
  else output.lines(runLines(safeValue(run), around.now(), output.paint, terminalWidth(output.out)));
  return EXIT.ok;
}

/** Returns a run as text. */
export function runLines(run: RunView, now: number, paint: Paint, width: number = WIDTH): string[] {
  const { usage } = run;
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ["run", run.runId],
    ["conversation", run.conversationId],
    ["status", run.status + (run.code === undefined ? "" : ` (${run.code})`)],
    ["about", subjectOf(run) || undefined],
    ["profile", run.profile],
    ["requester", run.requester],
    ["started", `${spanOf(now - run.createdAt)} ago`],
    ["took", run.endedAt ? tookOf(run.endedAt - run.createdAt) : undefined],
    ["used", usage && usageText(usage)],
    ...callFields(run),
  ];
  return [
    ...fields.flatMap(([name, value]) => (value === undefined ? [] : wrapped(`${name.padEnd(14)}${value}`, WIDTH))),
    ...(run.awaiting ?? []).flatMap((waits) => awaitedLines(run, waits, paint)),
    // The lines above already show waits for people, with the command.
    ...(run.waits ?? [])
      .filter(({ kind }) => kind !== "approval" && kind !== "answer")
      .flatMap(({ says }) => wrapped(`${"waits for".padEnd(14)}${says}`, WIDTH)),
    ...(run.answer ? ["", ...paragraphs(run.answer, WIDTH)] : []),
    ...(run.truncated ? ["", ...wrapped(paint("yellow", CUT_OFF), WIDTH)] : []),
    // Before the end, the report is what the run knows so far. "Not assessed" would then be wrong.
    ...(run.report && run.endedAt ? ["", ...reportLines(run.report, paint, width)] : []),
  ];
}

function awaitedLines({ runId, waits: all = [] }: RunView, waits: NonNullable<RunView["awaiting"]>[number], paint: Paint): string[] {
  if (waits.kind === "approval") {
    const says = all.find(({ callId }) => callId === waits.callId)?.says ?? `${waits.tool} waits for a person:`;
    return ["", ...wrapped(paint("yellow", says), WIDTH), `  ${SELF} approvals approve ${waits.approvalId ?? ""}`.trimEnd()];
  }
  if (waits.kind === "question") {
    const warning = waits.untrusted === true ? " (untrusted: give it no secrets)" : "";
    return [
      "",
      ...wrapped(paint("yellow", safeText(`${waits.tool} of ${waits.from ?? ""} asks${warning}: ${waits.question ?? ""}`)), WIDTH),
      ...fieldsOf(waits.form).flatMap(fieldLines),
      `  ${answerCommand(runId, waits)}`,
    ];
  }
  return [
    "",
    ...wrapped(paint("yellow", `it asks: ${waits.question ?? ""}`), WIDTH),
    ...(waits.options ?? []).map((option, n) => `  ${n + 1}  ${option}`),
    `  ${SELF} runs answer ${runId} "your answer" --call ${waits.callId}`,
  ];
}
