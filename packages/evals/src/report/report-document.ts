import type { Change } from "../baseline/change.ts";
import type { NotCompared, Regressions } from "../baseline/compare-baseline.ts";
import type { SuiteResult } from "../result/suite-result.ts";
import type { Interval } from "../statistics/interval.ts";
import type { VariantComparison } from "./compare-variants.ts";
import type { EvaluationReport } from "./evaluation-report.ts";
import type { ScenarioOutcome } from "./scenario-outcome.ts";
import type { Figure, Summary } from "./summary.ts";

/** The version of the form of the report document. */
export const REPORT_FORMAT = "toolbus-eval-report/1";

/**
 * Returns the report as a document of JSON, with the names of requirement Q-05: `summary`, `scenarios` and `regression_analysis`. These are of the
 * first variant. The others are in `variants` with the same members. An interval is `[low, high]`, and a figure that is unknown is null.
 */
export function reportDocument({ result, variants, comparisons, regressions }: EvaluationReport): object {
  const [main, ...others] = variants.map(({ variant, summary, scenarios }) => ({
    variant,
    model: result.models[variant] ?? null,
    summary: summaryDocument(summary),
    scenarios: scenarios.map(scenarioDocument),
  }));
  return {
    format: REPORT_FORMAT,
    ...headOf(result),
    ...main,
    regression_analysis: regressions === null ? { baseline: null, regressions: [], improvements: [] } : regressionDocument(regressions),
    variants: others,
    comparisons: comparisons.map(comparisonDocument),
  };
}

function headOf({ suite, suiteHash, startedAt, endedAt }: SuiteResult): object {
  return { suite, suite_hash: suiteHash, started_at: startedAt, ended_at: endedAt };
}

function summaryDocument({ passRate, totalScenarios, byStatus, trials, errors, avgScores, passRateByTag, spent }: Summary): object {
  return {
    pass_rate: passRate?.mean ?? null,
    pass_rate_interval: pair(passRate?.interval),
    total_scenarios: totalScenarios,
    scenarios_by_status: byStatus,
    trials,
    errors,
    avg_scores: mapped(avgScores, ({ mean }) => mean),
    avg_score_intervals: mapped(avgScores, ({ interval }) => pair(interval)),
    pass_rate_by_tag: mapped(passRateByTag, figureDocument),
    cost_usd: usd(spent.costMicroUsd),
    cost_per_successful_task_usd: usd(spent.costPerSuccessMicroUsd),
    input_tokens: spent.inputTokens,
    output_tokens: spent.outputTokens,
    avg_rounds: spent.rounds,
    avg_tool_calls: spent.toolCalls,
    avg_seconds: spent.elapsedMs === null ? null : spent.elapsedMs / 1000,
  };
}

function scenarioDocument({ id, status, scores, tags, passShare, trials }: ScenarioOutcome): object {
  return {
    id,
    status,
    scores: Object.fromEntries(scores.map(({ name, mean }) => [name, mean])),
    advisory_scores: scores.filter(({ advisory }) => advisory).map(({ name }) => name),
    tags,
    repeats: trials.length,
    pass_share: passShare,
    failures: trials.flatMap((trial) => [
      ...(trial.problem === undefined ? [] : [{ repeat: trial.repeat, score: null, reason: trial.problem }]),
      ...trial.scores.filter(({ passed }) => !passed).map(({ name, reason }) => ({ repeat: trial.repeat, score: name, reason })),
    ]),
    runs: trials.flatMap(({ runId }) => (runId === undefined ? [] : [runId])),
  };
}

/** Returns a comparison with a baseline, as `regression_analysis` of Q-05 has it. */
export function regressionDocument(found: Regressions): object {
  return {
    baseline: found.baseline,
    baseline_saved_at: found.savedAt,
    compared_scenarios: found.compared,
    regressions: found.regressions.map(changeDocument),
    improvements: found.improvements.map(changeDocument),
    not_compared: found.notCompared satisfies readonly NotCompared[],
    new_variants: found.newVariants,
    scores_not_compared: found.scoresNotCompared,
  };
}

function changeDocument({ scenario, variant, score, before, now, relative, interval, uncertain, advisory }: Change): object {
  return { scenario, variant, score, before, now, relative_change: relative, change_interval: pair(interval), uncertain, advisory };
}

/** Returns the comparison of two variants as a document. */
export function comparisonDocument(compared: VariantComparison): object {
  const { first, second, leftOut, pairs, bothPassed, onlyFirst, onlySecond, neither, p, difference, interval } = compared;
  return {
    first,
    second,
    pairs,
    both_passed: bothPassed,
    only_first_passed: onlyFirst,
    only_second_passed: onlySecond,
    neither_passed: neither,
    mcnemar_p: p,
    mean_difference: difference,
    mean_difference_interval: pair(interval),
    left_out: leftOut,
  };
}

function figureDocument({ mean, interval, scenarios }: Figure): object {
  return { pass_rate: mean, interval: pair(interval), scenarios };
}

function mapped<T>(record: Readonly<Record<string, T>>, to: (value: T) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]));
}

function pair(interval: Interval | null | undefined): readonly [number, number] | null {
  return interval === null || interval === undefined ? null : [interval.low, interval.high];
}

function usd(microUsd: number | null): number | null {
  return microUsd === null ? null : microUsd / 1_000_000;
}
