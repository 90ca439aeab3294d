import { describe, expect, it } from "vitest";
import { tokenCalibration } from "./token-calibration.ts";

describe("what vendors report of prompts", () => {
  it("corrects later estimates for the same model, the newest most, and no other's", () => {
    const known = tokenCalibration();
    expect(known.ratio("anthropic", "a")).toBe(1);
    known.learn("anthropic", "a", { estimated: 1000, reported: 1200 });
    expect(known.ratio("anthropic", "a")).toBe(1.2);
    known.learn("anthropic", "a", { estimated: 1000, reported: 1000 });
    expect(known.ratio("anthropic", "a")).toBeCloseTo(1.14);
    expect(known.ratio("anthropic", "b")).toBe(1);
  });

  it("moves them by no more than half or double, whatever is reported", () => {
    const known = tokenCalibration();
    known.learn("x", "high", { estimated: 1000, reported: 900_000 });
    known.learn("x", "low", { estimated: 900_000, reported: 1000 });
    expect([known.ratio("x", "high"), known.ratio("x", "low")]).toEqual([2, 0.5]);
  });

  it("says nothing where the prompt is small: the vendor's own words would count too much", () => {
    const known = tokenCalibration();
    known.learn("x", "m", { estimated: 20, reported: 700 });
    expect(known.ratio("x", "m")).toBe(1);
  });

  it("is taken as the window at least when a prompt did not fit it", () => {
    const known = tokenCalibration();
    known.overflowed("x", "m", { estimated: 100_000, window: 128_000 });
    expect(known.ratio("x", "m")).toBe(1.28);
    known.overflowed("x", "m", { estimated: 500_000, window: 128_000 });
    expect(known.ratio("x", "m")).toBe(1.28);
  });
});
