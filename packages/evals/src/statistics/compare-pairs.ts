import { bootstrapMean } from "./bootstrap.ts";
import { type Interval, meanOf } from "./interval.ts";
import { mcnemarExact } from "./mcnemar.ts";
import type { RandomSource } from "./random-source.ts";

/** One scenario in two variants. The value is its mean score. */
export interface Pair {
  readonly first: { readonly passed: boolean; readonly value: number };
  readonly second: { readonly passed: boolean; readonly value: number };
}

/** Whether the second of two variants is better than the first one over the same scenarios. */
export interface PairedComparison {
  readonly pairs: number;
  readonly bothPassed: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
  /** The exact p-value of McNemar's test on passed and failed. */
  readonly p: number;
  /** The mean of second minus first. Null without pairs. */
  readonly difference: number | null;
  /** The bootstrap interval of the difference over the scenarios. Null for fewer than two pairs. */
  readonly interval: Interval | null;
}

/** Compares two variants scenario by scenario. The differences are drawn in pairs, because a hard scenario is hard for both variants. */
export function comparePairs(pairs: readonly Pair[], random: RandomSource): PairedComparison {
  const counted = (first: boolean, second: boolean): number =>
    pairs.filter((pair) => pair.first.passed === first && pair.second.passed === second).length;
  const [onlyFirst, onlySecond] = [counted(true, false), counted(false, true)];
  const differences = pairs.map(({ first, second }) => second.value - first.value);
  return {
    pairs: pairs.length,
    bothPassed: counted(true, true),
    onlyFirst,
    onlySecond,
    neither: counted(false, false),
    p: mcnemarExact(onlyFirst, onlySecond),
    difference: meanOf(differences),
    interval: bootstrapMean(differences, random),
  };
}
