import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { assessRelease } from "./assess-release.ts";
import { readReleaseFacts } from "./release-facts.ts";

function assess(summary: JsonObject) {
  const facts = readReleaseFacts(JSON.stringify(summary));
  if (!facts) throw new Error("The summary is an object.");
  return assessRelease(facts);
}

describe("assessment of whole releases", () => {
  it("golden high: failures, an error rate of two in a hundred, payments and authentication", () => {
    const summary = {
      version: "v2.1.0",
      changes: ["Add payment by invoice", "Fix authentication of guests"],
      tests: { passed: 142, failed: 2, skipped: 5 },
      deployment_metrics: { error_rate: 0.02, response_time_p95: 450 },
    };
    expect(assess(summary)).toMatchInlineSnapshot(`
      {
        "findings": [
          {
            "basis": "tests.failed, changes, areas",
            "rule": "critical-failures",
            "severity": "high",
            "text": "2 failed tests without a name in a release that changes auth ("Fix authentication of guests"): a critical failure cannot be ruled out.",
          },
          {
            "basis": "deployment_metrics.error_rate",
            "rule": "error-rate",
            "severity": "high",
            "text": "The error rate is 2 %.",
          },
          {
            "basis": "tests.failed, tests.passed",
            "rule": "failed-tests",
            "severity": "medium",
            "text": "Tests failed: 142 passed, 2 failed, 5 skipped, 1.39 % of those that ran.",
          },
          {
            "basis": "areas, files, changes",
            "rule": "risky-areas",
            "severity": "medium",
            "text": "The release changes 2 risky areas: auth ("Fix authentication of guests"), payments ("Add payment by invoice").",
          },
          {
            "basis": "deployment_metrics.response_time_p95",
            "rule": "response-time",
            "severity": "low",
            "text": "The 95th percentile of response time is 450 ms.",
          },
        ],
        "severity": "high",
        "unknowns": [
          "Error rate: no baseline to compare with.",
          "Response time: no baseline to compare with, so whether it became slower.",
          "Size of the change: changed lines were not reported.",
        ],
      }
    `);
  });

  it("golden medium: a minor failure and a slightly slower service", () => {
    const summary = {
      changes: ["Show the order's date", "Explain the export"],
      authors: ["Ada", "Grace"],
      files: { changed: 4 },
      size: { lines: 100 },
      tests: { passed: 199, failed: 1, skipped: 0, failures: [{ name: "formats a date", suite: "orders" }] },
      deployment_metrics: { error_rate: 0.002, response_time_p95: 490, baseline: { error_rate: 0.002, response_time_p95: 400 } },
    };
    expect(assess(summary)).toMatchInlineSnapshot(`
      {
        "findings": [
          {
            "basis": "tests.failed, tests.passed",
            "rule": "failed-tests",
            "severity": "medium",
            "text": "Tests failed: 199 passed, 1 failed, 0 skipped, 0.5 % of those that ran.",
          },
          {
            "basis": "deployment_metrics.response_time_p95",
            "rule": "response-time",
            "severity": "medium",
            "text": "The 95th percentile of response time is 490 ms, its baseline is 400 ms (1.23 times as high).",
          },
          {
            "basis": "deployment_metrics.error_rate",
            "rule": "error-rate",
            "severity": "low",
            "text": "The error rate is 0.2 %, its baseline is 0.2 %.",
          },
          {
            "basis": "size, files",
            "rule": "changed-lines",
            "severity": "low",
            "text": "The release changes 100 lines in 4 files.",
          },
        ],
        "severity": "medium",
        "unknowns": [],
      }
    `);
  });

  it("golden low: all tests pass, metrics are clean, the change is small", () => {
    const summary = {
      changes: ["Show the order's date"],
      authors: ["Ada"],
      files: { changed: 2 },
      size: { lines: 40 },
      tests: { passed: 200, failed: 0, skipped: 3, failures: [] },
      deployment_metrics: { error_rate: 0.001, response_time_p95: 390, baseline: { error_rate: 0.002, response_time_p95: 400 } },
    };
    expect(assess(summary)).toMatchInlineSnapshot(`
      {
        "findings": [
          {
            "basis": "tests",
            "rule": "passed-tests",
            "severity": "low",
            "text": "All tests that ran passed: 200 passed, 0 failed, 3 skipped.",
          },
          {
            "basis": "deployment_metrics.error_rate",
            "rule": "error-rate",
            "severity": "low",
            "text": "The error rate is 0.1 %, its baseline is 0.2 %.",
          },
          {
            "basis": "deployment_metrics.response_time_p95",
            "rule": "response-time",
            "severity": "low",
            "text": "The 95th percentile of response time is 390 ms, its baseline is 400 ms.",
          },
          {
            "basis": "size, files",
            "rule": "changed-lines",
            "severity": "low",
            "text": "The release changes 40 lines in 2 files.",
          },
        ],
        "severity": "low",
        "unknowns": [],
      }
    `);
  });
});
