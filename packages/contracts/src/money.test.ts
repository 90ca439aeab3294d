import { describe, expect, it } from "vitest";
import { dollarsOf } from "./money.ts";

describe("a sum of money", () => {
  it.each([
    [0, "$0.00"],
    [1, "$0.000001"],
    [315, "$0.000315"],
    [7500, "$0.0075"],
    [10_000, "$0.01"],
    [1_200_000, "$1.20"],
    [1_000_000_000, "$1000.00"],
  ])("of %i millionths of a dollar is %s", (microUsd, text) => {
    expect(dollarsOf(microUsd)).toBe(text);
  });
});
