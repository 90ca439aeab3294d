import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LARGEST_MEASUREMENTS, parseReleaseMeasurements } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../toolbus/exit-codes.ts";
import { type MeasurementsOptions, readMeasurements } from "./read-measurements.ts";

let folder = "";
const file = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolbus-measurements-"));
  file("junit.xml", '<testsuite name="orders"><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>');
  const failure = `<testcase name="${"n".repeat(250)}"><failure message="${"m".repeat(250)}"/></testcase>`;
  file("many.xml", `<testsuite name="orders">${failure.repeat(60)}</testsuite>`);
  file("gitlab.json", JSON.stringify({ test_suites: [{ name: "orders", test_cases: [{ name: "a", status: "success" }] }] }));
  file("jobs.json", JSON.stringify({ total_count: 0, jobs: [] }));
  file("metrics.json", JSON.stringify({ error_rate: 0.01, response_time_p95: 400 }));
  file("percent.json", JSON.stringify({ error_rate: 7, response_time_p95: 400 }));
  file("not.xml", "hello");
  file("none.xml", "<testsuites/>");
  file("large.xml", "");
  truncateSync(path.join(folder, "large.xml"), 32 * 1024 * 1024 + 1);
  mkdirSync(path.join(folder, "folder"));
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(options: MeasurementsOptions) {
  const notes: string[] = [];
  const output = { note: (text: string) => void notes.push(text) };
  const context = { around: { cwd: folder }, output } as unknown as Parameters<typeof readMeasurements>[0];
  return { measurements: await readMeasurements(context, { repo: ".", ...options }), notes };
}

const failures = [{ name: "b", suite: "orders", message: "no" }];

describe("the measurements that a person hands in", () => {
  it.each<[string, MeasurementsOptions, object | null]>([
    ["nothing, if no file is named", {}, null],
    ["the tests of a JUnit file", { junit: "junit.xml" }, { tests: { passed: 1, failed: 1, skipped: 0, failures } }],
    ["the tests of GitLab's report", { ci: "gitlab.json" }, { tests: { passed: 1, failed: 0, skipped: 0, failures: [] } }],
    ["the metrics", { metrics: "metrics.json" }, { deployment_metrics: { error_rate: 0.01, response_time_p95: 400 } }],
  ])("are %s", async (_, options, measurements) => {
    expect(await read(options)).toEqual({ measurements, notes: [] });
  });

  it("fit into a request, and a note says how many failed tests they do not name", async () => {
    const { measurements, notes } = await read({ junit: "many.xml", metrics: "metrics.json" });
    expect(parseReleaseMeasurements(measurements)).toMatchObject({ ok: true });
    expect(Buffer.byteLength(JSON.stringify(measurements))).toBeLessThanOrEqual(LARGEST_MEASUREMENTS);
    expect(measurements).toMatchObject({ tests: { failed: 60 }, deployment_metrics: { error_rate: 0.01 } });
    const named = measurements?.tests?.failures.length ?? 0;
    expect(named).toBeGreaterThan(10);
    expect(notes).toEqual([`The evidence names the first ${named} of 60 failed tests, and counts the others.`]);
  });

  it.each<[string, MeasurementsOptions, string]>([
    ["no XML", { junit: "not.xml" }, "--junit: FOLDER/not.xml is not well-formed XML."],
    ["XML without a test case", { junit: "none.xml" }, "--junit: FOLDER/none.xml holds no test case."],
    ["a large file", { junit: "large.xml" }, "--junit: FOLDER/large.xml has 33554433 bytes; at most 33554432 are read."],
    ["a folder", { junit: "folder" }, "--junit: FOLDER/folder cannot be read: it is not a file."],
    ["a pipe", { junit: "pipe" }, "--junit: FOLDER/pipe cannot be read: it is not a file."],
    ["a missing file", { junit: "gone.xml" }, "--junit: FOLDER/gone.xml cannot be read: there is no such file."],
    ["an empty path", { junit: "" }, "--junit is empty: name a file."],
    ["an empty path for metrics", { metrics: "" }, "--metrics is empty: name a file."],
    ["no JSON", { metrics: "not.xml" }, "--metrics: FOLDER/not.xml is not JSON."],
    [
      "a percentage",
      { metrics: "percent.json" },
      "--metrics: FOLDER/percent.json: error_rate must be a share from 0 to 1 (0.02 is two in a hundred).",
    ],
    ["a pipe for metrics", { metrics: "pipe" }, "--metrics: FOLDER/pipe cannot be read: it is not a file."],
    [
      "another export",
      { ci: "metrics.json" },
      "--ci: FOLDER/metrics.json is JSON, but neither GitHub's jobs of a run nor GitLab's jobs or test report of a pipeline.",
    ],
    [
      "jobs",
      { ci: "jobs.json" },
      "--ci names jobs.json, which has jobs and no tests: give the test report of a GitLab pipeline, or a JUnit file with --junit.",
    ],
    [
      "two files with tests",
      { junit: "junit.xml", ci: "gitlab.json" },
      "--junit and --ci both give test results, and one test could be in both: leave one of them out.",
    ],
    ["no repository", { repo: undefined, metrics: "metrics.json" } as object, "--metrics needs a repository: add --repo with its folder."],
  ])("are refused in one sentence with the exit code of a wrong flag: %s", async (_, options, message) => {
    await expect(read(options)).rejects.toMatchObject({ exitCode: EXIT.usage, message: message.replace("FOLDER", folder) });
  });
});
