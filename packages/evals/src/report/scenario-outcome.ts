import type { SuiteResult } from "../result/suite-result.ts";
import type { Dimension, Trial } from "../result/trial.ts";
import { meanOf } from "../statistics/interval.ts";

/** How a scenario ended over all its repeats. `flaky` means that some repeats passed and some failed. */
export type ScenarioStatus = "passed" | "failed" | "flaky" | "error";

/** What one score of a scenario was in its repeats, without the repeats in which the scorer could not decide. */
export interface ScoreOutcome {
  readonly name: string;
  readonly dimension: Dimension;
  readonly mean: number;
  readonly values: readonly number[];
  /** True if the score was advisory in a repeat, so that it must not gate. */
  readonly advisory: boolean;
}

/** All trials of one scenario in one variant, together. */
export interface ScenarioOutcome {
  readonly id: string;
  readonly variant: string;
  readonly tags: readonly string[];
  readonly status: ScenarioStatus;
  /** The share of the scored trials that passed. Null if none could be scored. */
  readonly passShare: number | null;
  /** For each scored trial 1 if it passed, otherwise 0. */
  readonly passes: readonly number[];
  readonly scores: readonly ScoreOutcome[];
  /** The mean of the scores that may gate. Null if there are none. */
  readonly meanScore: number | null;
  /** The trials, also those with an error. */
  readonly trials: readonly Trial[];
}

/** Returns the names of the variants, in the order of the trials, with `default` first. */
export function variantsOf({ trials }: SuiteResult): readonly string[] {
  const names = [...new Set(trials.map(({ variant }) => variant))];
  return names.includes("default") ? ["default", ...names.filter((name) => name !== "default")] : names;
}

/** Returns the outcome of every scenario of a variant, in the order of the trials. */
export function scenarioOutcomes(result: SuiteResult, variant: string): readonly ScenarioOutcome[] {
  const trials = Map.groupBy(
    result.trials.filter((trial) => trial.variant === variant),
    ({ scenario }) => scenario,
  );
  return [...trials].map(([id, of]) => outcomeOf(id, variant, result.tags[id] ?? [], of));
}

function outcomeOf(id: string, variant: string, tags: readonly string[], trials: readonly Trial[]): ScenarioOutcome {
  const scored = trials.filter(({ status }) => status !== "error");
  const passes = scored.map(({ status }) => (status === "passed" ? 1 : 0));
  const scores = scoresOf(scored);
  const gating = scores.filter(({ advisory }) => !advisory);
  return {
    id,
    variant,
    tags,
    status: statusOf(trials.length, passes),
    passShare: meanOf(passes),
    passes,
    scores,
    meanScore: meanOf(gating.map(({ mean }) => mean)),
    trials,
  };
}

function statusOf(trials: number, passes: readonly number[]): ScenarioStatus {
  if (passes.length < trials || trials === 0) return "error";
  if (passes.every((pass) => pass === 1)) return "passed";
  return passes.every((pass) => pass === 0) ? "failed" : "flaky";
}

function scoresOf(trials: readonly Trial[]): readonly ScoreOutcome[] {
  const decided = trials.flatMap(({ scores }) => scores).filter(({ error }) => error !== true);
  return [...Map.groupBy(decided, ({ name }) => name)].map(([name, of]) => {
    const values = of.map(({ value }) => value);
    return {
      name,
      dimension: of[0]?.dimension ?? "end",
      mean: meanOf(values) ?? 0,
      values,
      advisory: of.some(({ advisory }) => advisory === true),
    };
  });
}
