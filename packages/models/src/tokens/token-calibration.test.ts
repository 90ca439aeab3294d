import { describe, expect, it } from "vitest";
import { tokenCalibration } from "./token-calibration.ts";

describe("a vendor's report about a prompt", () => {
  it("corrects later estimates for the same model only, and the newest report counts most", () => {
    const known = tokenCalibration();
    expect(known.ratio("anthropic", "a")).toBe(1);
    known.learn("anthropic", "a", { estimated: 1000, reported: 1200 });
    expect(known.ratio("anthropic", "a")).toBe(1.2);
    known.learn("anthropic", "a", { estimated: 1000, reported: 1000 });
    expect(known.ratio("anthropic", "a")).toBeCloseTo(1.14);
    expect(known.ratio("anthropic", "b")).toBe(1);
  });

  it("halves or doubles them at most, whatever is reported", () => {
    const known = tokenCalibration();
    known.learn("x", "high", { estimated: 1000, reported: 900_000 });
    known.learn("x", "low", { estimated: 900_000, reported: 1000 });
    expect([known.ratio("x", "high"), known.ratio("x", "low")]).toEqual([2, 0.5]);
  });

  it("is ignored if the prompt is small: the vendor's own text would count too much", () => {
    const known = tokenCalibration();
    known.learn("x", "m", { estimated: 20, reported: 700 });
    expect(known.ratio("x", "m")).toBe(1);
  });

  it("is wanted for a prompt that nobody counted only while few were learnt from, and not for a small one", () => {
    const known = tokenCalibration();
    expect([known.wants("x", "m", 499), known.wants("x", "m", 500)]).toEqual([false, true]);
    for (let n = 0; n < 8; n++) {
      expect(known.wants("x", "m", 9000)).toBe(true);
      known.learn("x", "m", { estimated: 20, reported: 9000 });
      known.learn("x", "m", { estimated: 9000, reported: 9000 });
    }
    expect([known.wants("x", "m", 9000), known.wants("x", "other", 9000)]).toEqual([false, true]);
  });

  it("counts as at least the window if a prompt did not fit it", () => {
    const known = tokenCalibration();
    known.overflowed("x", "m", { estimated: 100_000, window: 128_000 });
    expect(known.ratio("x", "m")).toBe(1.28);
    known.overflowed("x", "m", { estimated: 500_000, window: 128_000 });
    expect(known.ratio("x", "m")).toBe(1.28);
  });
});
