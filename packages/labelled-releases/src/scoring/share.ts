/** A share of a count, such as 7 of 10. */
export interface Share {
  readonly right: number;
  readonly of: number;
  /** From 0 to 1. Null if there is nothing to count. */
  readonly share: number | null;
}

export function shareOf(right: number, of: number): Share {
  return { right, of, share: of === 0 ? null : right / of };
}

/** Returns the 95 % Wilson interval of a share. It is from 0 to 1 if there is nothing to count. */
export function wilsonInterval({ right, of }: Share): readonly [low: number, high: number] {
  if (of === 0) return [0, 1];
  // The quantile of the normal distribution for 95 %.
  const z = 1.959964;
  const p = right / of;
  const middle = (p + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((p * (1 - p)) / of + z ** 2 / (4 * of ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
