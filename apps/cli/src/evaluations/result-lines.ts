import { counted } from "@toolbus/contracts";
import type { SuiteResult, Trial } from "@toolbus/evals";
import { tookOf } from "../terminal/duration.ts";
import { cut } from "../terminal/lines.ts";
import { safeText } from "../terminal/safe-text.ts";

const WIDEST = 200;

/** The places of a result. */
interface ResultPlaces {
  readonly file: string;
  /** The folder with what the runs of failed trials did. Null if it has no file. */
  readonly failed: string | null;
}

/** Returns the result for people: every trial that did not pass with its reasons, and a sum for each variant. */
export function resultLines(result: SuiteResult, { file, failed }: ResultPlaces): readonly string[] {
  const variants = Object.keys(result.models);
  const bad = result.trials.filter(({ status }) => status !== "passed");
  return [
    ...bad.flatMap((trial) => [
      nameOf(trial, variants.length > 1),
      ...reasonsOf(trial).map((reason) => `  ${cut(safeText(reason), WIDEST)}`),
    ]),
    ...(bad.length > 0 ? [""] : []),
    ...variants.map((variant) => sumOf(result, variant, variants.length > 1)),
    ...(failed === null ? [] : [`What the runs of failed trials did is in ${failed}`]),
    `The result is in ${file}`,
  ];
}

function nameOf({ status, scenario, variant, repeat, runId }: Trial, named: boolean): string {
  const which = `${scenario}${named ? ` (${variant})` : ""}${repeat > 1 ? `, repeat ${repeat}` : ""}`;
  return `${status === "error" ? "error" : "failed"}  ${which}${runId === undefined ? "" : `  ${runId}`}`;
}

function reasonsOf({ problem, scores }: Trial): readonly string[] {
  const missed = scores.filter(({ passed, advisory }) => !passed && advisory !== true).map(({ name, reason }) => `${name}: ${reason}`);
  return [...(problem === undefined ? [] : [problem]), ...missed];
}

function sumOf({ trials, models, startedAt, endedAt }: SuiteResult, variant: string, named: boolean): string {
  const own = trials.filter((trial) => trial.variant === variant);
  const count = (status: Trial["status"]): number => own.filter((trial) => trial.status === status).length;
  const bad = [count("failed") > 0 ? `, ${count("failed")} failed` : "", count("error") > 0 ? `, ${count("error")} in error` : ""].join("");
  const took = named ? "" : ` in ${tookOf(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return `${named ? `${variant}: ` : ""}${count("passed")} of ${counted(own.length, "trial")} passed${bad}${took} (${safeText(models[variant] ?? "")}).`;
}
