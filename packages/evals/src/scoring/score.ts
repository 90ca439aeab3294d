import type { Dimension, Score } from "../result/trial.ts";

/** Returns a score that is all or nothing. */
export function verdict(dimension: Dimension, name: string, passed: boolean, reason: string): Score {
  return { name, dimension, value: passed ? 1 : 0, passed, reason };
}

/** Returns a score for a part of what was expected. It passes only if nothing is missing. */
export function partial(dimension: Dimension, name: string, value: number, reason: string): Score {
  return { name, dimension, value, passed: value === 1, reason };
}
