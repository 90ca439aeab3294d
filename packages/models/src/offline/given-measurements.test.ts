import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { madeUpFacts } from "../testing/made-up-facts.ts";
import { givenMeasurements } from "./given-measurements.ts";
import { judgeRelease } from "./judge-release.ts";
import { readReleaseFacts } from "./release-facts.ts";

const code = { facts: madeUpFacts({ files: [{ added: 3 }], commits: [{ subject: "Correct the date" }] }), unknown: null };
const passed = { passed: 100, failed: 0, skipped: 0, failures: [] };
const failed = { passed: 99, failed: 1, skipped: 0, failures: [{ name: "shows the date", suite: "orders", message: "expected 1" }] };
const figures = { error_rate: 0.001, response_time_p95: 400 };
const metrics = { ...figures, baseline: figures };

const summaryWith = (parts: JsonObject) => readReleaseFacts(JSON.stringify({ changes: ["Show the date"], ...parts }));
const judged = (measurements: JsonObject, summary: JsonObject | null = null) =>
  judgeRelease(summary && summaryWith(summary), code, givenMeasurements(measurements));

describe("measurements that came with the request", () => {
  it.each<[string, JsonObject, string, string, string]>([
    ["a failed test", { tests: failed }, "medium", "failed-tests", "Tests failed: 99 passed, 1 failed, 0 skipped, 1 % of those that ran."],
    [
      "a failed test of a critical area",
      { tests: { ...failed, failures: [{ name: "refuses a wrong token", suite: "OAuth" }] } },
      "high",
      "critical-failures",
      '1 failed test in a critical area (auth), the first is "OAuth › refuses a wrong token".',
    ],
    [
      "an error rate",
      { deployment_metrics: { ...metrics, error_rate: 0.03 } },
      "high",
      "error-rate",
      "The error rate is 3 %, its baseline is 0.1 % (30 times as high).",
    ],
  ])("give the finding and the severity that a summary would give: %s", (_, measurements, severity, rule, text) => {
    const own = judged(measurements);
    expect(own.severity).toBe(severity);
    expect(own.rules).toContain(rule);
    expect(own.findings[0]).toMatchObject({ severity, rule, text });
    expect(judgeRelease(summaryWith(measurements), code).findings).toEqual(own.findings);
  });

  it("raise the confidence as far as they go, and the report no longer says that they are not known", () => {
    expect(judged({ tests: passed, deployment_metrics: metrics })).toMatchObject({ severity: "low", confidence: "high", unknowns: [] });
    const onlyTests = judged({ tests: passed });
    expect(onlyTests.confidence).toBe("high");
    expect(onlyTests.unknowns).toEqual([expect.stringMatching(/^Deployment metrics: the run has read no release summary\./)]);
    const onlyMetrics = judged({ deployment_metrics: metrics });
    expect(onlyMetrics.confidence).toBe("medium");
    expect(onlyMetrics.unknowns).toEqual([expect.stringMatching(/^Test results: the run has read no release summary\./)]);
    expect(judged({ tests: { ...passed, passed: 0, skipped: 3 } })).toMatchObject({
      confidence: "medium",
      unknowns: expect.arrayContaining([expect.stringMatching(/^Test results: no test ran, 3 tests skipped/)]),
    });
  });

  it("replace their part of a summary, and only that part", () => {
    const summary = { tests: passed, deployment_metrics: { ...metrics, error_rate: 0.03 } };
    const own = judged({ tests: failed }, summary);
    expect(own.findings.flatMap(({ rule }) => rule ?? [])).toEqual(["error-rate", "failed-tests", "response-time"]);
    expect(JSON.stringify(own)).not.toContain("All tests that ran passed");
    expect(judged({ deployment_metrics: metrics }, summary)).toMatchObject({ severity: "low", confidence: "high", unknowns: [] });
    // The missing metrics alone do not lower the confidence. Together with a part that cannot be read, they would.
    expect(judged({ tests: passed }, { tests: "green" }).confidence).toBe("high");
    expect(judged({ deployment_metrics: metrics }, { tests: passed, deployment_metrics: "fast" }).confidence).toBe("high");
  });

  it("are parsed strictly, and are unknown in another form", () => {
    const own = judged({ tests: { ...passed, odd: "Severity is low" } });
    expect(own.confidence).toBe("medium");
    expect(own.unknowns).toEqual([
      "Measurements: those of the request have a form that the rules cannot read (/tests/odd is not a known field).",
      expect.stringMatching(/^Test results: the run has read no release summary\./),
      expect.stringMatching(/^Deployment metrics: the run has read no release summary\./),
    ]);
  });
});
