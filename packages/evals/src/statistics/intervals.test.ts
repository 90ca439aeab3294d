import { describe, expect, it } from "vitest";
import { bootstrapChange, bootstrapMean } from "./bootstrap.ts";
import { comparePairs, type Pair } from "./compare-pairs.ts";
import { mcnemarExact } from "./mcnemar.ts";
import { seededRandom } from "./random-source.ts";
import { wilsonInterval } from "./wilson.ts";

describe("Wilson's interval", () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("equals the published interval for %i of %i", (passed, count, low, high) => {
    expect(wilsonInterval(passed / count, count)).toEqual({ low: expect.closeTo(low, 4), high: expect.closeTo(high, 4) });
  });

  // By hand for 1 of 1: z^2 = 3.841459, so the lower end is 1 / (1 + z^2) = 0.206549.
  it("does not end at 1 on both sides when everything passed", () => {
    expect(wilsonInterval(1, 1)).toEqual({ low: expect.closeTo(0.206549, 5), high: 1 });
  });

  it("does not exist for nothing", () => {
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});

describe("the bootstrap interval of a mean", () => {
  // The mean of four draws from 0, 0, 0, 1 is a quarter of a binomial number with p = 1/4. P(0) = 0.316 is above 2.5 %. P(at most 2/4) = 0.949 and
  // P(at most 3/4) = 0.996, so the upper end is 3/4.
  it("equals the quantiles of a distribution that was worked out by hand", () => {
    for (const seed of [1, 2, 3]) expect(bootstrapMean([0, 0, 0, 1], seededRandom(seed))).toEqual({ low: 0, high: 0.75 });
  });

  // The standard error of the mean of the numbers 0 to 999 is sqrt((1000^2 - 1) / 12 / 1000) = 9.1287, so the normal interval is 499.5 +- 17.892.
  it("comes near the normal interval for many values", () => {
    const interval = bootstrapMean(
      Array.from({ length: 1000 }, (_, n) => n),
      seededRandom(7),
    );
    expect(interval?.low).toBeGreaterThan(480);
    expect(interval?.low).toBeLessThan(483.5);
    expect(interval?.high).toBeGreaterThan(515.5);
    expect(interval?.high).toBeLessThan(519);
  });

  it("depends only on the values and the source of random numbers", () => {
    const once = bootstrapMean([1, 2, 5, 9], seededRandom(4));
    expect(bootstrapMean([1, 2, 5, 9], seededRandom(4))).toEqual(once);
  });

  it("has no width if all values agree, and does not exist for one value", () => {
    expect(bootstrapMean([0.4, 0.4], seededRandom(1))).toEqual({ low: 0.4, high: 0.4 });
    expect(bootstrapMean([1], seededRandom(1))).toBeNull();
  });
});

describe("the bootstrap interval of a change", () => {
  it("draws only the repeats of each scenario, so scenarios that differ do not widen it", () => {
    const strata = [0, 1].map((value) => ({ before: [value, value], after: [value, value] }));
    expect(bootstrapChange(strata, seededRandom(1))).toEqual({ low: 0, high: 0 });
  });

  // Two draws from 0 and 1 have the mean 0 or 1 with the probability 1/4 each, so the change from such a mean to 0 reaches from -1 to 0.
  it("contains no change if the repeats alone may explain the change", () => {
    expect(bootstrapChange([{ before: [0, 1], after: [0, 0] }], seededRandom(1))).toEqual({ low: -1, high: 0 });
  });

  it("does not exist with one repeat", () => {
    expect(bootstrapChange([{ before: [1], after: [0, 0] }], seededRandom(1))).toBeNull();
    expect(bootstrapChange([], seededRandom(1))).toBeNull();
  });
});

describe("McNemar's exact test", () => {
  // By hand for 1 and 7: 2 * (C(8,0) + C(8,1)) / 2^8 = 2 * 9 / 256 = 0.0703125. For 0 and 6: 2 / 64 = 0.03125.
  it.each([
    [1, 7, 18 / 256],
    [7, 1, 18 / 256],
    [0, 6, 2 / 64],
    [3, 3, 1],
    [0, 0, 1],
  ])("equals the binomial tail by hand for %i and %i", (first, second, p) => {
    expect(mcnemarExact(first, second)).toBeCloseTo(p, 12);
  });

  // The normal approximation with continuity correction gives z = (|300 - 400| - 1) / sqrt(700) = 3.742 and p = 0.000183.
  it("stays a number for many pairs", () => {
    expect(mcnemarExact(300, 400)).toBeGreaterThan(0.00017);
    expect(mcnemarExact(300, 400)).toBeLessThan(0.0002);
  });
});

describe("the comparison of two variants over the same scenarios", () => {
  const pair = (first: number, second: number): Pair => ({
    first: { passed: first >= 0.5, value: first },
    second: { passed: second >= 0.5, value: second },
  });

  it("counts the scenarios that only one variant passes, and takes the difference in pairs", () => {
    const pairs = [pair(0, 1), pair(0, 1), pair(1, 0), pair(1, 1), pair(0, 0)];
    const compared = comparePairs(pairs, seededRandom(1));
    expect(compared).toMatchObject({ pairs: 5, bothPassed: 1, onlyFirst: 1, onlySecond: 2, neither: 1, p: 1, difference: 0.2 });
    expect(compared.interval?.low).toBeLessThan(0);
    expect(compared.interval?.high).toBeGreaterThan(0);
  });

  it("finds a small difference between scenarios that differ much, because it is the same in each of them", () => {
    const values = [0.1, 0.3, 0.5, 0.7, 0.8];
    const compared = comparePairs(
      values.map((value) => pair(value, value + 0.1)),
      seededRandom(1),
    );
    expect(compared.interval?.low).toBeCloseTo(0.1, 10);
  });

  it("has neither a difference nor an interval without pairs", () => {
    expect(comparePairs([], seededRandom(1))).toMatchObject({ pairs: 0, p: 1, difference: null, interval: null });
  });
});
