import { type Interval, meanOf } from "./interval.ts";
import type { RandomSource } from "./random-source.ts";

/** The number of samples that an interval is made of. More of them would change the third digit. */
export const RESAMPLES = 2000;

/** Returns the percentile interval of the mean, or null for fewer than two values, which say nothing about how much the values vary. */
export function bootstrapMean(values: readonly number[], random: RandomSource): Interval | null {
  if (values.length < 2) return null;
  return percentiles(() => meanOfSample(values, random));
}

/** The values of one scenario before and after a change, one value for each repeat. */
export interface Stratum {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * Returns the percentile interval of the mean change over fixed scenarios. Only the repeats of each scenario are drawn again, because the scenarios
 * themselves are the same on both sides. Returns null if a scenario has only one repeat on a side.
 */
export function bootstrapChange(strata: readonly Stratum[], random: RandomSource): Interval | null {
  if (strata.length === 0 || strata.some(({ before, after }) => before.length < 2 || after.length < 2)) return null;
  return percentiles(() => {
    const changes = strata.map(({ before, after }) => meanOfSample(after, random) - meanOfSample(before, random));
    return meanOf(changes) ?? 0;
  });
}

function meanOfSample(values: readonly number[], random: RandomSource): number {
  let sum = 0;
  for (let n = 0; n < values.length; n += 1) sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / values.length;
}

/** Returns the middle 95 % of many draws. The edges are the nearest ranks, so they are always drawn values. */
function percentiles(draw: () => number): Interval {
  const drawn = Float64Array.from({ length: RESAMPLES }, draw).toSorted();
  return { low: drawn[Math.ceil(RESAMPLES * 0.025) - 1] ?? 0, high: drawn[Math.ceil(RESAMPLES * 0.975) - 1] ?? 0 };
}
