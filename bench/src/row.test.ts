import { describe, expect, it } from "vitest";
import { quantile, rowOf } from "./row.ts";

describe("a quantile", () => {
  it.each([
    [0, 1],
    [0.5, 3],
    [0.25, 2],
    [0.9, 4.6],
    [1, 5],
  ])("at %d of five values is %d", (share, expected) => {
    expect(quantile([1, 2, 3, 4, 5], share)).toBeCloseTo(expected, 10);
  });

  it("of one value is that value", () => {
    expect([0, 0.5, 0.99].map((share) => quantile([7], share))).toEqual([7, 7, 7]);
  });
});

describe("a row", () => {
  it("has rate, latencies, processor time and ratio with three digits", () => {
    const subject = { wallMs: 3000, cpuMs: 10, latencies: [0.123456, 1, 2999] };
    const bare = { wallMs: 10, cpuMs: 1, latencies: [0.0012345] };
    expect(rowOf("read call", { subject, bare, ratios: [10, 20, 40.04] })).toEqual({
      name: "read call",
      p50Ms: 1,
      p99Ms: 2940,
      perSecond: 1,
      cpuMsPer: 3.33,
      bareP50Ms: 0.00123,
      ratio: 20,
      quartiles: [15, 30],
    });
  });
});
