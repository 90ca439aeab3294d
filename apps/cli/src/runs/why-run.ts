import { readRun } from "../http/answers.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { eventsSoFar } from "./events-so-far.ts";
import { explainRun } from "./explain-run.ts";

/** Explains in sentences what happened in a run, why it ended or what it waits for, and what to try next. */
export async function whyRun(context: Context, typed: string | undefined): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const { output, around } = context;
  const gateway = await context.gateway();
  const run = safeValue(readRun(await gateway.get(`/v1/runs/${runId}`)));
  const explained = explainRun(run, safeValue(await eventsSoFar(gateway, runId)), around.now());
  if (output.json) {
    output.document({
      runId,
      status: run.status,
      ...(run.code === undefined ? {} : { code: run.code }),
      waits: run.waits ?? [],
      ...explained,
    });
    return EXIT.ok;
  }
  const { paint } = output;
  output.lines([
    ...explained.happened.flatMap((line) => wrapped(line, WIDTH)),
    "",
    ...explained.stands.flatMap((line) => wrapped(paint("yellow", line), WIDTH)),
    "",
    ...explained.next.map((line) => `  ${line}`),
  ]);
  return EXIT.ok;
}
