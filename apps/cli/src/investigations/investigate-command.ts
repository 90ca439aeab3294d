import { reportView, type RunEnd, SEVERITIES, type Severity } from "@toolbus/contracts";
import { readRun } from "../http/answers.ts";
import { followRun } from "../runs/follow-run.ts";
import { exitCodeOf, isCutOff, outcomeOf } from "../runs/run-lines.ts";
import { runScreen } from "../runs/run-screen.ts";
import { endLines } from "../runs/watch-command.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { filedPlace } from "./filed-place.ts";
import { readAlert } from "./read-alert.ts";
import { bytesOf } from "./fit-tests.ts";
import { type ChangesOptions, readChanges } from "./read-changes.ts";
import { type MeasurementsOptions, readMeasurements } from "./read-measurements.ts";

export interface InvestigateOptions extends ChangesOptions, MeasurementsOptions {
  readonly alert?: string;
  readonly note?: string;
  readonly wait: boolean;
  readonly failOn?: Severity;
}

/** Starts an investigation and follows it to its report. */
export async function investigate(context: Context, release: string | undefined, options: InvestigateOptions): Promise<ExitCode> {
  const { alert, note, wait, failOn } = options;
  if ((release === undefined && options.repo === undefined) === (alert === undefined)) {
    throw new Failure(EXIT.usage, "Name the release to investigate, or its repository with --repo, or give an alert with --alert.");
  }
  if (!wait && failOn !== undefined)
    throw new Failure(EXIT.usage, "--fail-on needs the report, which --no-wait does not wait for: leave one out.");
  const measurements = await readMeasurements(context, options);
  const changes = await readChanges(context, options, { taken: measurements === null ? 0 : bytesOf(measurements) });
  const ofRelease = {
    ...(release === undefined ? {} : { releaseId: release }),
    ...(changes === null ? {} : { changes }),
    ...(measurements === null ? {} : { measurements }),
  };
  const about = alert === undefined ? ofRelease : { alert: await readAlert(context, alert) };
  const { output, around, colour, signal } = context;
  const gateway = await context.gateway();
  const body = { ...about, ...(note === undefined ? {} : { note }) };
  const run = readRun(await gateway.post("/v1/investigations", body, { "idempotency-key": around.newId() }));
  if (!wait) {
    if (output.json) output.document(run);
    else output.lines([run.runId]);
    return EXIT.ok;
  }
  output.note(`Run ${run.runId}`);
  const place = filedPlace();
  const { end } = await followRun({
    gateway,
    runId: run.runId,
    screen: runScreen({ progress: output.err, text: null, colour, quiet: context.options.quiet }),
    signal,
    now: around.now,
    onItem: place.onItem,
  });
  const code = verdict(end, failOn);
  if (output.json) output.document({ runId: run.runId, ...document(end), exitCode: code });
  else output.lines([...lastWords(context, end), ...place.lines(end)]);
  return code;
}

/**
 * Returns the report as text. If the report has no assessment, the model's answer comes first, because it says why there is no assessment. If the
 * profile writes no report, returns only the answer.
 */
function lastWords(context: Context, end: RunEnd): string[] {
  const said = end.type === "run.completed" && !end.report?.severity ? safeText(end.text).split("\n") : [];
  return [...said, ...endLines(context, end)].filter((line, n) => n > 0 || line !== "");
}

/** Returns the exit code. A report without an assessment is a failure, because the user asked for one and a pipeline must not pass without it. */
function verdict(end: RunEnd, failOn: Severity | undefined): ExitCode {
  if (end.type !== "run.completed") return exitCodeOf(end);
  const severity = end.report?.severity;
  if (!severity) return end.report === null && failOn === undefined ? EXIT.ok : EXIT.failed;
  if (failOn === undefined) return EXIT.ok;
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(failOn) ? EXIT.condition : EXIT.ok;
}

function document(end: RunEnd): object {
  return {
    status: outcomeOf(end),
    severity: end.report?.severity ?? null,
    report: end.report && reportView(end.report),
    answer: end.type === "run.completed" ? end.text : null,
    ...(isCutOff(end) ? { truncated: true } : {}),
    error: end.type === "run.failed" ? { code: end.code, message: end.message } : null,
    ...(end.writes ? { writes: end.writes } : {}),
    usage: end.usage,
  };
}
