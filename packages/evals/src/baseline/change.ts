import { bootstrapChange, type Stratum } from "../statistics/bootstrap.ts";
import { type Interval, meanOf } from "../statistics/interval.ts";
import type { RandomSource } from "../statistics/random-source.ts";

/** One score of one scenario, or one figure of the whole suite, before and now. */
export interface Change {
  /** The scenario, or null for a figure over all compared scenarios. */
  readonly scenario: string | null;
  readonly variant: string;
  readonly score: string;
  readonly before: number;
  readonly now: number;
  /** The change relative to the value before, such as -0.1 for a tenth less. Null if the value before was 0. */
  readonly relative: number | null;
  /** The interval of the absolute change. Null without at least two repeats on both sides. */
  readonly interval: Interval | null;
  /** True if the interval contains no change, so that the repeats alone may explain it. */
  readonly uncertain: boolean;
  /** True if the score may not gate, such as the score of a judge that was not calibrated. */
  readonly advisory: boolean;
}

/** What is compared. Each stratum is one scenario. */
export interface Measured extends Pick<Change, "scenario" | "variant" | "score" | "advisory"> {
  readonly strata: readonly Stratum[];
}

/** The largest relative drop without a warning. */
export const WARNS_OVER = 0.05;

// A drop of exactly the threshold must not warn because 0.95 has no exact binary form.
const ROUNDING = 1e-9;

/** Returns the change of a figure, which is the mean over its scenarios of the mean over their repeats. */
export function changeOf({ strata, ...what }: Measured, random: RandomSource): Change {
  const before = meanOf(strata.map((stratum) => meanOf(stratum.before) ?? 0)) ?? 0;
  const now = meanOf(strata.map((stratum) => meanOf(stratum.after) ?? 0)) ?? 0;
  const moved = Math.abs(now - before) > ROUNDING;
  const interval = moved ? bootstrapChange(strata, random) : null;
  return {
    ...what,
    before,
    now,
    relative: before === 0 ? (moved ? null : 0) : (now - before) / before,
    interval,
    uncertain: interval !== null && interval.low <= 0 && interval.high >= 0,
  };
}

/** Returns whether the value fell by more than the threshold. */
export function isRegression({ relative }: Change, over: number): boolean {
  return relative !== null && -relative > over + ROUNDING;
}

/** Returns whether the value rose by more than the threshold, or from 0. */
export function isImprovement({ relative }: Change, over: number): boolean {
  return relative === null || relative > over + ROUNDING;
}
