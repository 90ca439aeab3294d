import { type Dimension, DIMENSIONS, type Trial } from "../result/trial.ts";
import { bootstrapMean } from "../statistics/bootstrap.ts";
import { type Interval, meanOf } from "../statistics/interval.ts";
import type { RandomSource } from "../statistics/random-source.ts";
import { wilsonInterval } from "../statistics/wilson.ts";
import type { ScenarioOutcome, ScenarioStatus } from "./scenario-outcome.ts";

/** A mean over scenarios with its interval. The interval is null if there are too few scenarios for one. */
export interface Figure {
  readonly mean: number;
  readonly interval: Interval | null;
  readonly scenarios: number;
}

/** What the trials cost. A sum is null if a trial did not report its part, because the true sum is then unknown. */
export interface Spent {
  readonly costMicroUsd: number | null;
  /** The cost of all scored trials, divided by the number that passed. Null if the cost is unknown or no trial passed. */
  readonly costPerSuccessMicroUsd: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The means over the scored trials. Null if there are none. */
  readonly rounds: number | null;
  readonly toolCalls: number | null;
  readonly elapsedMs: number | null;
}

/** The figures of one variant. Trials with an error count in `errors` and in no other figure. */
export interface Summary {
  readonly totalScenarios: number;
  readonly byStatus: Readonly<Record<ScenarioStatus, number>>;
  readonly trials: number;
  readonly errors: number;
  /** The mean over the scenarios of the share of passed repeats. Null if nothing could be scored. */
  readonly passRate: Figure | null;
  readonly avgScores: Partial<Readonly<Record<Dimension, Figure>>>;
  readonly passRateByTag: Readonly<Record<string, Figure>>;
  readonly spent: Spent;
}

/** Returns the figures of one variant. The scenario is the unit of every interval, because repeats of one scenario are not independent. */
export function summaryOf(scenarios: readonly ScenarioOutcome[], random: RandomSource): Summary {
  const trials = scenarios.flatMap((scenario) => scenario.trials);
  const scored = trials.filter(({ status }) => status !== "error");
  const tags = [...new Set(scenarios.flatMap((scenario) => scenario.tags))].toSorted();
  return {
    totalScenarios: scenarios.length,
    byStatus: {
      passed: scenarios.filter(({ status }) => status === "passed").length,
      failed: scenarios.filter(({ status }) => status === "failed").length,
      flaky: scenarios.filter(({ status }) => status === "flaky").length,
      error: scenarios.filter(({ status }) => status === "error").length,
    },
    trials: trials.length,
    errors: trials.length - scored.length,
    passRate: passRateOf(scenarios),
    avgScores: Object.fromEntries(DIMENSIONS.flatMap((dimension) => averageOf(scenarios, dimension, random))),
    passRateByTag: Object.fromEntries(
      tags.flatMap((tag) => {
        const rate = passRateOf(scenarios.filter((scenario) => scenario.tags.includes(tag)));
        return rate === null ? [] : [[tag, rate]];
      }),
    ),
    spent: spentOn(scored),
  };
}

function passRateOf(scenarios: readonly ScenarioOutcome[]): Figure | null {
  const shares = scenarios.flatMap(({ passShare }) => (passShare === null ? [] : [passShare]));
  const mean = meanOf(shares);
  return mean === null ? null : { mean, interval: wilsonInterval(mean, shares.length), scenarios: shares.length };
}

function averageOf(scenarios: readonly ScenarioOutcome[], dimension: Dimension, random: RandomSource): [Dimension, Figure][] {
  const means = scenarios.flatMap(({ scores }) => {
    const mean = meanOf(scores.filter((score) => score.dimension === dimension).map((score) => score.mean));
    return mean === null ? [] : [mean];
  });
  const mean = meanOf(means);
  return mean === null ? [] : [[dimension, { mean, interval: bootstrapMean(means, random), scenarios: means.length }]];
}

function spentOn(trials: readonly Trial[]): Spent {
  const usages = trials.map(({ usage }) => usage);
  const costs = usages.flatMap(({ costMicroUsd }) => (costMicroUsd === null ? [] : [costMicroUsd]));
  const costMicroUsd = costs.length < usages.length || usages.length === 0 ? null : sum(costs);
  const successes = trials.filter(({ status }) => status === "passed").length;
  return {
    costMicroUsd,
    costPerSuccessMicroUsd: costMicroUsd === null || successes === 0 ? null : costMicroUsd / successes,
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
    rounds: meanOf(usages.map(({ rounds }) => rounds)),
    toolCalls: meanOf(usages.map(({ toolCalls }) => toolCalls)),
    elapsedMs: meanOf(usages.map(({ elapsedMs }) => elapsedMs)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
