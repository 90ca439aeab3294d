import { describeProblems, parser, type Static, Type } from "@toolbus/contracts";
import type { ReadResult } from "../result/read-suite-result.ts";
import { cohensKappa } from "../statistics/cohens-kappa.ts";
import { fleissKappa } from "../statistics/fleiss-kappa.ts";
import type { Judge, JudgeIdentity, Judgement } from "./judge.ts";
import type { LabelledExample, Labels } from "./labels.ts";

/** The version of the form of a calibration file. */
export const CALIBRATION_FORMAT = "toolbus-eval-calibration/1";

/** The smallest kappa with which a judge may fail a trial. */
export const GATES_FROM = 0.6;

/** The smallest number of examples for which the interval of a kappa is known. The standard error is one for large samples. */
export const LEAST_EXAMPLES = 20;

/** The number of examples that are asked at the same time. Each of them has all its votes under way. */
const AT_ONCE = 5;

const Share = Type.Number({ minimum: 0, maximum: 1 });
const KappaValue = Type.Number({ minimum: -1, maximum: 1 });
const CalibrationForm = Type.Object({
  format: Type.Literal(CALIBRATION_FORMAT),
  judge: Type.Object({ provider: Type.String(), model: Type.String(), votes: Type.Integer(), prompt: Type.String() }),
  labels: Type.String(),
  at: Type.String(),
  examples: Type.Integer({ minimum: 1 }),
  undecided: Type.Integer({ minimum: 0 }),
  agreement: Share,
  kappa: KappaValue,
  standardError: Type.Number({ minimum: 0 }),
  interval: Type.Union([Type.Object({ low: KappaValue, high: KappaValue }), Type.Null()]),
  votesKappa: Type.Union([KappaValue, Type.Null()]),
  criteria: Type.Array(Type.Object({ criterion: Type.String(), examples: Type.Integer(), agreed: Type.Integer() })),
});

/**
 * How far a judge agrees with people. `interval` is null if it is unknown. `votesKappa` is Fleiss' kappa of the votes of one judge among themselves,
 * over the examples with all votes.
 */
export type Calibration = Static<typeof CalibrationForm>;
const parse = parser(CalibrationForm);

/**
 * Asks the judge every example and returns its agreement with the labels, or one sentence that says why there is none. An example without a verdict
 * counts as a disagreement, so a judge that answers only the easy questions gains nothing. `at` is ISO 8601, UTC.
 */
export async function calibrate(
  asked: Judge,
  { examples, hash }: Labels,
  {
    signal,
    at,
    onAnswer = () => undefined,
  }: { readonly signal: AbortSignal; readonly at: string; readonly onAnswer?: (done: number) => void },
): Promise<ReadResult<Calibration>> {
  const judgements: Judgement[] = [];
  while (judgements.length < examples.length) {
    const next = examples.slice(judgements.length, judgements.length + AT_ONCE);
    judgements.push(...(await Promise.all(next.map(({ criterion, judged }) => asked.ask(criterion, judged, signal)))));
    onAnswer(judgements.length);
    // A key that is wrong, or a server that is down, fails every example, so the rest would cost time and show nothing.
    if (judgements.every(({ answer }) => answer === null)) {
      const why = judgements[0]?.reason ?? "";
      return { ok: false, problem: `The judge could not be measured, because it gave no verdict on ${judgements.length} examples: ${why}` };
    }
  }
  return calibrationOf(asked.identity, hash, examples, judgements, at);
}

function calibrationOf(
  identity: JudgeIdentity,
  labels: string,
  examples: readonly LabelledExample[],
  judgements: readonly Judgement[],
  at: string,
): ReadResult<Calibration> {
  const pairs = examples.map(({ criterion, label }, n) => ({ criterion: criterion.name, label, answer: judgements[n]?.answer ?? null }));
  const cell = (label: "yes" | "no", answer: "yes" | "no" | null): number =>
    pairs.filter((pair) => pair.label === label && pair.answer === answer).length;
  const rows = (["yes", "no"] as const).map((label) => [cell(label, "yes"), cell(label, "no"), cell(label, null)]);
  const measured = cohensKappa([...rows, [0, 0, 0]]);
  if (measured.kappa === null) return { ok: false, problem: `The judge could not be measured: ${measured.why}` };
  const byCriterion = Map.groupBy(pairs, ({ criterion }) => criterion);
  const full = judgements.filter(({ none }) => none === 0);
  return {
    ok: true,
    value: {
      format: CALIBRATION_FORMAT,
      judge: identity,
      labels,
      at,
      examples: pairs.length,
      undecided: pairs.filter(({ answer }) => answer === null).length,
      agreement: measured.agreement,
      kappa: measured.kappa,
      standardError: measured.standardError,
      interval: pairs.length < LEAST_EXAMPLES ? null : measured.interval,
      votesKappa: fleissKappa(full.map(({ yes, no }) => [yes, no])).kappa,
      criteria: [...byCriterion].map(([criterion, of]) => ({
        criterion,
        examples: of.length,
        agreed: of.filter(({ label, answer }) => label === answer).length,
      })),
    },
  };
}

/** Returns the name of the file with the calibration of a file of labels. It is beside the labels: `labels.yaml` has `labels.calibration.json`. */
export function calibrationFile(labels: string): string {
  return `${labels.replace(/\.(ya?ml|json)$/, "")}.calibration.json`;
}

/** Whether the scores of a judge may fail a trial, and if not, why not. */
export type Gate = { readonly gates: true } | { readonly gates: false; readonly why: string };

/** Returns whether this judge may gate with this calibration. */
export function gateOf(identity: JudgeIdentity, calibration: Calibration | null): Gate {
  if (calibration === null) return { gates: false, why: "the judge was never calibrated" };
  const differs = (["provider", "model", "votes", "prompt"] as const).find((part) => calibration.judge[part] !== identity[part]);
  if (differs !== undefined) return { gates: false, why: `the calibration is of another judge (its ${differs} differs)` };
  if (calibration.kappa < GATES_FROM) return { gates: false, why: `its kappa of ${calibration.kappa.toFixed(2)} is below ${GATES_FROM}` };
  if (calibration.interval === null)
    return { gates: false, why: `the interval of its kappa is unknown with fewer than ${LEAST_EXAMPLES} labelled examples` };
  return { gates: true };
}

/** Returns the calibration in a text, or one sentence with its first fault. `name` is the name of the file in this sentence. */
export function readCalibration(text: string, name: string): ReadResult<Calibration> {
  const remedy = 'measure the judge again with "toolbus eval judge".';
  try {
    const parsed = parse(JSON.parse(text));
    if (parsed.ok) return parsed;
    return { ok: false, problem: `The file ${name} is not a calibration (${describeProblems(parsed.problems.slice(0, 1))}): ${remedy}` };
  } catch {
    return { ok: false, problem: `The calibration ${name} is not JSON, or it ends in the middle: ${remedy}` };
  }
}
