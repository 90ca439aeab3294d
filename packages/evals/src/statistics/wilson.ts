import { type Interval, Z95 } from "./interval.ts";

/**
 * Returns Wilson's score interval for a share, or null if nothing was counted. `share` may be the mean of shares, such as the passed repeats of each
 * scenario. A value between 0 and 1 with this mean varies at most as much as a value that is 0 or 1, so the interval is then wider than necessary and
 * never too narrow.
 */
export function wilsonInterval(share: number, count: number): Interval | null {
  if (count === 0) return null;
  const z2 = Z95 * Z95;
  const centre = share + z2 / (2 * count);
  const reach = Z95 * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count * count));
  const scale = 1 + z2 / count;
  return { low: Math.max(0, (centre - reach) / scale), high: Math.min(1, (centre + reach) / scale) };
}
