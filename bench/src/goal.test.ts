import { describe, expect, it } from "vitest";
import { goal, rateGoal, tableOfGoals, timeGoal } from "./goal.ts";

const slices = (perPieceMs: number) => ({ wallMs: 1000, cpuMs: 0, latencies: Array.from({ length: 10 }, () => perPieceMs) });
const paired = { subject: slices(100), bare: slices(50), ratios: [1.25, 2, 2.5] };

describe("a goal", () => {
  it("is met only on its own side of the target", () => {
    const figures = { ours: 85.04, theirs: 100, unit: "calls/s" };
    expect(goal({ name: "", is: "at least", target: 0.85 }, figures)).toMatchObject({ ratio: 0.85, met: true });
    expect(goal({ name: "", is: "at least", target: 0.86 }, figures)).toMatchObject({ met: false });
    expect(goal({ name: "", is: "at most", target: 0.86 }, figures)).toMatchObject({ met: true });
    expect(goal({ name: "", is: "at most", target: 0.84 }, figures)).toMatchObject({ met: false });
  });

  it("for a rate is how much more often, and for a time how much longer, by the median over the slices", () => {
    expect(rateGoal({ name: "calls", is: "at least", target: 0.5 }, paired, 5, "calls/s")).toEqual({
      name: "calls",
      ratio: 0.5,
      quartiles: [0.45, 0.65],
      target: 0.5,
      is: "at least",
      met: true,
      ours: 50,
      theirs: 50,
      unit: "calls/s",
    });
    expect(timeGoal({ name: "a call", is: "at most", target: 1.1 }, paired, 5)).toMatchObject({
      ratio: 2,
      met: false,
      ours: 20,
      theirs: 10,
      unit: "ms",
    });
  });

  it("has a line in the table with both figures and whether it was met", () => {
    const met = goal({ name: "calls", is: "at least", target: 0.85 }, { ours: 900, theirs: 1000, unit: "calls/s" });
    const missed = timeGoal({ name: "a call", is: "at most", target: 1.1 }, paired, 5);
    const [, first = "", second = ""] = tableOfGoals([met, missed]).split("\n");
    expect(first).toMatch(/^calls +900 +1000 calls\/s +0\.9 +at least 0\.85 +met$/);
    expect(second).toMatch(/^a call +20 +10 ms +2 \(1\.63 to 2\.25\) +at most 1\.1 +missed$/);
  });
});
