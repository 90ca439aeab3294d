import { describe, expect, it } from "vitest";
import { rungFor } from "./retry-ladder.ts";

describe("the rung for a delay", () => {
  it.each([
    [0, 0],
    [100, 0],
    [101, 250],
    [250, 250],
    [999, 250],
    [1000, 1000],
    [4999, 1000],
    [5000, 5000],
    [30_000, 30_000],
    [119_999, 30_000],
    [120_000, 120_000],
    [3_600_000, 120_000],
    [Number.POSITIVE_INFINITY, 120_000],
    [-1, 0],
    [Number.NaN, 0],
  ])("of %d ms is %d ms", (delay, rung) => {
    expect(rungFor(delay)).toBe(rung);
  });
});
