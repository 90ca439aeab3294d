import type { ReadResult } from "../result/read-suite-result.ts";
import type { SuiteResult } from "../result/suite-result.ts";
import { DIMENSIONS } from "../result/trial.ts";
import type { Stratum } from "../statistics/bootstrap.ts";
import type { RandomSource } from "../statistics/random-source.ts";
import { type ScenarioOutcome, scenarioOutcomes, variantsOf } from "../report/scenario-outcome.ts";
import type { Baseline } from "./baseline.ts";
import { type Change, changeOf, isImprovement, isRegression, type Measured } from "./change.ts";

/** A scenario that was not compared, and why. */
export interface NotCompared {
  readonly scenario: string;
  readonly variant: string;
  readonly why: "new" | "gone" | "changed" | "error";
}

/** A result beside a baseline. */
export interface Regressions {
  readonly baseline: string;
  readonly savedAt: string;
  /** The number of scenarios that were compared, over all variants. */
  readonly compared: number;
  readonly regressions: readonly Change[];
  readonly improvements: readonly Change[];
  readonly notCompared: readonly NotCompared[];
  /** The variants of the result that the baseline lacks, so that nothing of them was compared. */
  readonly newVariants: readonly string[];
  /** Scores that only one side has, as `scenario: score`. A scorer that is gone must not look like a score that stayed. */
  readonly scoresNotCompared: readonly string[];
}

interface Both {
  readonly before: ScenarioOutcome;
  readonly now: ScenarioOutcome;
}

/** How a result is compared with a baseline. */
export interface BaselineComparison {
  /** The relative change from which on a change is listed. */
  readonly over: number;
  readonly random: RandomSource;
  /**
   * The only variant of the result that is compared, with the first variant of the baseline. Null compares each variant with the one of the same
   * name.
   */
  readonly variant?: string | null;
}

/** Compares a result with a baseline of the same suite, or returns one sentence that says why it cannot. */
export function compareToBaseline(
  current: SuiteResult,
  { version, savedAt, result: earlier }: Baseline,
  { over, random, variant = null }: BaselineComparison,
): ReadResult<Regressions> {
  if (current.suite !== earlier.suite) {
    const why = `it is of the suite ${earlier.suite}, and the result is of the suite ${current.suite}`;
    return {
      ok: false,
      problem: `The baseline ${version} cannot be compared, because ${why}: name a baseline of the suite ${current.suite}.`,
    };
  }
  if (variant !== null && !variantsOf(current).includes(variant))
    return {
      ok: false,
      problem: `The result has no variant ${JSON.stringify(variant.slice(0, 100))}, but ${variantsOf(current).join(", ")}: name one of them.`,
    };
  const same = new Set([...variantsOf(earlier), ...variantsOf(current)]);
  const parts =
    variant === null
      ? [...same].map((name) => compareVariant(earlier, name, current, name))
      : [compareVariant(earlier, variantsOf(earlier)[0] ?? variant, current, variant)];
  const changes = parts.flatMap(({ measured }) => measured).map((measured) => changeOf(measured, random));
  return {
    ok: true,
    value: {
      baseline: version,
      savedAt,
      compared: parts.reduce((sum, { compared }) => sum + compared, 0),
      regressions: changes.filter((change) => isRegression(change, over)),
      improvements: changes.filter((change) => isImprovement(change, over)),
      notCompared: parts.flatMap(({ notCompared }) => notCompared),
      newVariants: variant === null ? variantsOf(current).filter((name) => !variantsOf(earlier).includes(name)) : [],
      scoresNotCompared: parts.flatMap(({ scoresNotCompared }) => scoresNotCompared),
    },
  };
}

function compareVariant(earlier: SuiteResult, earlierVariant: string, current: SuiteResult, variant: string) {
  const before = new Map(scenarioOutcomes(earlier, earlierVariant).map((one) => [one.id, one]));
  const now = new Map(scenarioOutcomes(current, variant).map((one) => [one.id, one]));
  const pairs: Both[] = [];
  const notCompared: NotCompared[] = [];
  for (const scenario of new Set([...before.keys(), ...now.keys()])) {
    const [one, other] = [before.get(scenario), now.get(scenario)];
    const isChanged = earlier.scenarioHashes[scenario] !== current.scenarioHashes[scenario];
    const why =
      one === undefined ? "new" : other === undefined ? "gone" : isChanged ? "changed" : other.status === "error" ? "error" : null;
    if (why !== null) notCompared.push({ scenario, variant, why });
    else if (one !== undefined && other !== undefined) pairs.push({ before: one, now: other });
  }
  return {
    compared: pairs.length,
    notCompared,
    scoresNotCompared: pairs.flatMap((pair) => lonelyScores(pair)),
    measured: [...suiteFigures(pairs, variant), ...pairs.flatMap((pair) => scenarioFigures(pair, variant))],
  };
}

/** The pass rate and the mean of each dimension, over the compared scenarios only. */
function suiteFigures(pairs: readonly Both[], variant: string): readonly Measured[] {
  const whole = { scenario: null, variant } as const;
  const passes = {
    ...whole,
    score: "pass_rate",
    advisory: false,
    strata: pairs.map((pair) => ({ before: pair.before.passes, after: pair.now.passes })),
  };
  const dimensions = DIMENSIONS.map((dimension) => {
    const shared = pairs.flatMap((pair) => sharedScores(pair).filter(({ now }) => now.dimension === dimension));
    const gating = shared.filter(({ isAdvisory }) => !isAdvisory);
    // An advisory score must not move a figure that gates, so the figure is of the others if there are any.
    const counted = gating.length > 0 ? gating : shared;
    return { ...whole, score: dimension, advisory: gating.length === 0, strata: counted.map(({ stratum }) => stratum) };
  });
  return [passes, ...dimensions].filter(({ strata }) => strata.length > 0);
}

/** The share of passed repeats, and each score that both sides have. */
function scenarioFigures(pair: Both, variant: string): readonly Measured[] {
  const scenario = pair.now.id;
  return [
    { scenario, variant, score: "passed", advisory: false, strata: [{ before: pair.before.passes, after: pair.now.passes }] },
    ...sharedScores(pair).map(({ now, stratum, isAdvisory }) => ({
      scenario,
      variant,
      score: now.name,
      advisory: isAdvisory,
      strata: [stratum],
    })),
  ];
}

function sharedScores({ before, now }: Both) {
  return now.scores.flatMap((score) => {
    const earlier = before.scores.find(({ name }) => name === score.name);
    if (earlier === undefined) return [];
    const stratum: Stratum = { before: earlier.values, after: score.values };
    return [{ now: score, stratum, isAdvisory: score.advisory || earlier.advisory }];
  });
}

function lonelyScores({ before, now }: Both): readonly string[] {
  const names = [...before.scores, ...now.scores].map(({ name }) => name);
  return names.filter((name) => names.indexOf(name) === names.lastIndexOf(name)).map((name) => `${now.id}: ${name}`);
}
