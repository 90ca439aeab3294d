/**
 * Returns the exact two-sided p-value of McNemar's test. The arguments count the pairs of which only the first, or only the second, passed. Pairs that
 * agree say nothing about a difference. Without a pair that differs, the value is 1.
 */
export function mcnemarExact(onlyFirst: number, onlySecond: number): number {
  const pairs = onlyFirst + onlySecond;
  const fewer = Math.min(onlyFirst, onlySecond);
  // The terms are sums of logarithms, because the factorial of 171 is infinite.
  let term = -pairs * Math.LN2;
  let tail = 0;
  for (let n = 0; n <= fewer; n += 1) {
    tail += Math.exp(term);
    term += Math.log((pairs - n) / (n + 1));
  }
  return Math.min(1, 2 * tail);
}
