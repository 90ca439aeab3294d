import { describe, expect, it } from "vitest";
import { parseReleaseMeasurements } from "./release-measurements.ts";

const tests = { passed: 9, failed: 1, skipped: 0, failures: [{ name: "pays", suite: "cart", message: "no" }] };
const figures = { error_rate: 0.01, response_time_p95: 400 };

describe("the measurements of a release", () => {
  it.each([
    ["test results", { tests }],
    ["a failure without a message", { tests: { ...tests, failures: [{ name: "pays", suite: "" }] } }],
    ["metrics", { deployment_metrics: figures }],
    ["both, with a baseline", { tests, deployment_metrics: { ...figures, baseline: figures } }],
  ])("may be %s", (_, value) => {
    expect(parseReleaseMeasurements(value)).toEqual({ ok: true, value });
  });

  it.each<[string, unknown, string]>([
    ["nothing", {}, ""],
    ["an unknown field", { tests, coverage: 1 }, "/coverage"],
    [
      "an unknown field of a failure",
      { tests: { ...tests, failures: [{ name: "a", suite: "b", stack: "c" }] } },
      "/tests/failures/0/stack",
    ],
    ["a count that is text", { tests: { ...tests, failed: "0" } }, "/tests/failed"],
    ["a negative count", { tests: { ...tests, passed: -1 } }, "/tests/passed"],
    ["no list of failures", { tests: { passed: 1, failed: 0, skipped: 0 } }, "/tests/failures"],
    ["51 failures", { tests: { ...tests, failures: Array.from({ length: 51 }, () => tests.failures[0]) } }, "/tests/failures"],
    ["a name of several lines", { tests: { ...tests, failures: [{ name: "a\nb", suite: "" }] } }, "/tests/failures/0/name"],
    [
      "a long message",
      { tests: { ...tests, failures: [{ name: "a", suite: "", message: "m".repeat(301) }] } },
      "/tests/failures/0/message",
    ],
    ["a percentage", { deployment_metrics: { ...figures, error_rate: 2 } }, "/deployment_metrics/error_rate"],
    ["an endless time", { deployment_metrics: { ...figures, response_time_p95: Infinity } }, "/deployment_metrics/response_time_p95"],
    [
      "a baseline of a baseline",
      { deployment_metrics: { ...figures, baseline: { ...figures, baseline: figures } } },
      "/deployment_metrics/baseline/baseline",
    ],
  ])("are not %s", (_, value, path) => {
    expect(parseReleaseMeasurements(value)).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ path })]),
    });
  });
});
