import { describe, expect, it } from "vitest";
import { reportOf } from "../command/report.ts";
import { compareRules, judgeReleases } from "./compare-rules.ts";
import { missesOfTuning } from "./misses.ts";

// A test of the held-out part would show its figures to everybody who changes a rule.
describe("the rules on the tuning part", () => {
  const comparison = compareRules("tuning");
  const { before, now, commonest } = comparison;

  it("over release facts are better than the rules over summaries and than the commonest class, by a margin", () => {
    expect(now.inside.right).toBeGreaterThanOrEqual(1500);
    expect(now.inside.right - commonest.score.inside.right).toBeGreaterThan(30);
    expect(now.inside.right - before.inside.right).toBeGreaterThan(20);
    expect(now.macroRecall).toBeGreaterThan(0.84);
  });

  it("over release facts report little that no label has, and find most security fixes and breaking changes", () => {
    expect(now.precision.share).toBeGreaterThan(0.84);
    expect(now.securityRecall.share).toBeGreaterThan(0.86);
    expect(now.breakingRecall.share).toBeGreaterThan(0.77);
    expect(now.wronglyReported.share).toBeLessThan(0.05);
  });

  it("over summaries were never low before, because the summaries have no tests, and are low for small releases now", () => {
    expect(before.recallOfClass.low.right).toBeLessThan(before.recallOfClass.low.of);
    const { before: then, summaries: corrected } = judgeReleases("tuning");
    expect(then.every(({ severity }) => severity !== "low")).toBe(true);
    expect(corrected.some(({ severity }) => severity === "low")).toBe(true);
  });

  it("are explained without a release of the held-out part", () => {
    const projects = new Set(missesOfTuning().map((line) => line.split(" ")[0]));
    expect(projects.size).toBeGreaterThan(3);
    const tuning = new Set(judgeReleases("tuning").labels.map(({ project }) => project));
    expect([...projects].filter((project) => project !== undefined && !tuning.has(project))).toEqual([]);
  });

  // The test is here, because a second file would ask all rules again.
  it("have a line in the report for each figure, with each set of rules side by side", () => {
    const lines = reportOf(comparison).trimEnd().split("\n");
    expect(lines).toHaveLength(11);
    expect(lines[0]).toMatch(/^tuning, \d+ releases +before +summaries +no advisories +now$/);
    expect(lines[1]).toMatch(/^severity inside the label(?: +\d+\.\d % \(\d+ of \d+\)){4}$/);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });
});
