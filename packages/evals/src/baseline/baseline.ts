import { describeProblems, parser, Type } from "@toolbus/contracts";
import { RESULT_FORMAT, type ReadResult, suiteResultOf } from "../result/read-suite-result.ts";
import type { SuiteResult } from "../result/suite-result.ts";

/** The version of the form of a baseline file. */
export const BASELINE_FORMAT = "toolbus-eval-baseline/1";

/** A result that later results are compared with. It has the whole result, so that a later version can compare what this one does not. */
export interface Baseline {
  readonly format: typeof BASELINE_FORMAT;
  /** What was evaluated, such as `1.4.0`. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly savedAt: string;
  readonly result: SuiteResult;
}

const BaselineForm = Type.Object({
  format: Type.Literal(BASELINE_FORMAT),
  version: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$" }),
  savedAt: Type.String(),
  result: Type.Unsafe<object>({ type: "object" }),
});
const parse = parser(BaselineForm);
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/;

/** Returns a baseline of a result, or one sentence that says why the result cannot be one. `savedAt` is ISO 8601, UTC. */
export function baselineOf(result: SuiteResult, version: string, savedAt: string): ReadResult<Baseline> {
  if (!VERSION.test(version)) {
    const shown = JSON.stringify(version.slice(0, 40));
    return { ok: false, problem: `A baseline cannot have the version ${shown}: use letters, digits, dots and hyphens, such as 1.4.0.` };
  }
  const [bad] = result.trials.filter(({ status }) => status === "error");
  if (bad !== undefined) {
    const why = `the scenario ${bad.scenario} could not be scored (${bad.problem ?? "no reason is given"})`;
    return { ok: false, problem: `This result cannot be a baseline, because ${why}: fix the cause and run the suite again.` };
  }
  return { ok: true, value: { format: BASELINE_FORMAT, version, savedAt, result: { ...result, format: RESULT_FORMAT } } };
}

/** Returns the baseline in a text, or one sentence with its first fault. `name` is the name of the file in this sentence. */
export function readBaseline(text: string, name: string): ReadResult<Baseline> {
  const remedy = 'save it again with "toolbus eval baseline save".';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: `The baseline ${name} is not JSON, or it ends in the middle: ${remedy}` };
  }
  const parsed = parse(value);
  if (!parsed.ok)
    return { ok: false, problem: `The file ${name} is not a baseline (${describeProblems(parsed.problems.slice(0, 1))}): ${remedy}` };
  const { version, savedAt, result } = parsed.value;
  const read = suiteResultOf(result, `The baseline ${name}`, remedy);
  return read.ok ? { ok: true, value: { format: BASELINE_FORMAT, version, savedAt, result: read.value } } : read;
}
