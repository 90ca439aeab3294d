import type { Regressions } from "../baseline/compare-baseline.ts";
import type { SuiteResult } from "../result/suite-result.ts";
import type { RandomSource } from "../statistics/random-source.ts";
import { compareVariants, type VariantComparison } from "./compare-variants.ts";
import { type ScenarioOutcome, scenarioOutcomes, variantsOf } from "./scenario-outcome.ts";
import { type Summary, summaryOf } from "./summary.ts";

/** Everything that a report shows, in every format. */
export interface EvaluationReport {
  readonly result: SuiteResult;
  readonly variants: readonly VariantReport[];
  /** Each further variant against the first one. */
  readonly comparisons: readonly VariantComparison[];
  /** Null without a baseline. */
  readonly regressions: Regressions | null;
}

/** The part of a report about one variant. */
export interface VariantReport {
  readonly variant: string;
  readonly summary: Summary;
  readonly scenarios: readonly ScenarioOutcome[];
}

/** Returns the report of a result. The same result and a source with the same seed give the same report. */
export function evaluationReport(result: SuiteResult, regressions: Regressions | null, random: RandomSource): EvaluationReport {
  const variants = variantsOf(result).map((variant) => {
    const scenarios = scenarioOutcomes(result, variant);
    return { variant, summary: summaryOf(scenarios, random), scenarios };
  });
  const [first, ...others] = variants;
  return {
    result,
    variants,
    comparisons: others.map(({ variant }) => compareVariants({ result, variant: first?.variant ?? variant }, { result, variant }, random)),
    regressions,
  };
}

/** Returns whether every trial of the result passed. A trial that could not be scored has not passed. */
export function hasPassed({ trials }: SuiteResult): boolean {
  return trials.length > 0 && trials.every(({ status }) => status === "passed");
}
