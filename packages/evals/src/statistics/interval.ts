/** An interval with a confidence of 95 %. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The number of standard errors to each side of an estimate that a normal interval of 95 % has. */
export const Z95 = 1.959963984540054;

/** Returns the mean of the values, or null if there are none. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
