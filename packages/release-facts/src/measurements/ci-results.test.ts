import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../testing/index.ts";
import { describe, expect, it } from "vitest";
import { readCiResults } from "./ci-results.ts";

async function resultsOf(content: unknown) {
  using folder = scratchFolder();
  const file = join(folder.path, "ci.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const results = await readCiResults(file);
  return results.ok ? results : { ...results, message: results.message.replace(`${file} `, "") };
}

const github = {
  total_count: 3,
  jobs: [
    {
      id: 1,
      run_id: 29679449,
      run_attempt: 1,
      head_sha: "f83a356604ae3c5d03e1b46ef4d1ca77d64a90b0",
      status: "completed",
      conclusion: "success",
      name: "lint",
      started_at: "2026-01-20T17:42:40Z",
      completed_at: "2026-01-20T17:44:39Z",
      steps: [{ name: "Set up job", status: "completed", conclusion: "success", number: 1 }],
      labels: ["self-hosted"],
    },
    {
      id: 2,
      run_id: 29679449,
      head_sha: "f83a356604ae3c5d03e1b46ef4d1ca77d64a90b0",
      status: "completed",
      conclusion: "failure",
      name: "test\u001b[31m (node 24)",
      started_at: "2026-01-20T17:42:40Z",
      completed_at: null,
      steps: [
        { name: "Build", status: "completed", conclusion: "success", number: 2 },
        { name: "Test", status: "completed", conclusion: "failure", number: 3 },
      ],
    },
  ],
};

const gitlab = [
  {
    id: 6,
    name: "rspec:other",
    stage: "test",
    status: "failed",
    allow_failure: true,
    duration: 0.465,
    failure_reason: "script_failure",
    commit: { id: "0ff3ae198f8601a285adcf5c0fff204ee6fba5fd" },
    pipeline: { id: 6, sha: "0ff3ae198f8601a285adcf5c0fff204ee6fba5fd", status: "pending" },
  },
  {
    id: 7,
    name: "deploy",
    stage: "deploy",
    status: "manual",
    duration: null,
    pipeline: { id: 6 },
    commit: { id: "0ff3ae198f8601a285adcf5c0fff204ee6fba5fd" },
  },
];

const report = {
  total_time: 5,
  total_count: 3,
  test_suites: [
    {
      name: "Secure",
      test_cases: [
        { status: "success", name: "passes", classname: "vulnerability", execution_time: 5, system_output: null, stack_trace: null },
        { status: "failed", name: "fails", file: "spec/a.rb", execution_time: 1, system_output: "expected 1\nto be 2" },
        { status: "error", name: "breaks", execution_time: 0, system_output: null },
      ],
    },
  ],
};

describe("an export of CI results", () => {
  it("has the jobs of GitHub, with the steps that failed", async () => {
    expect(await resultsOf(github)).toEqual({
      ok: true,
      kind: "jobs",
      pipeline: {
        provider: "github",
        pipeline: "29679449",
        commit: "f83a356604ae3c5d03e1b46ef4d1ca77d64a90b0",
        unlisted: 1,
        jobs: [
          { status: "passed", name: "lint", seconds: 119 },
          { status: "failed", name: "test [31m (node 24)", reason: "Failed steps: Test" },
        ],
      },
    });
  });

  it("has the jobs of GitLab, with the failures that the pipeline allows", async () => {
    expect(await resultsOf(gitlab)).toEqual({
      ok: true,
      kind: "jobs",
      pipeline: {
        provider: "gitlab",
        pipeline: "6",
        commit: "0ff3ae198f8601a285adcf5c0fff204ee6fba5fd",
        unlisted: 0,
        jobs: [
          { status: "failed", name: "rspec:other", allowed: true, stage: "test", seconds: 0.465, reason: "script_failure" },
          { status: "skipped", name: "deploy", stage: "deploy" },
        ],
      },
    });
  });

  it("has the tests of GitLab's test report", async () => {
    expect(await resultsOf(report)).toMatchObject({
      ok: true,
      kind: "tests",
      tests: {
        passed: 1,
        failed: 2,
        skipped: 0,
        failures: [{ name: "fails", message: "expected 1 to be 2" }, { message: "(no message)" }],
      },
      cases: [
        { status: "failed", suite: "Secure", name: "fails", file: "spec/a.rb", seconds: 1 },
        { status: "failed", name: "breaks" },
        { status: "passed", name: "passes", seconds: 5 },
      ],
    });
  });

  it.each([
    ["a torn file", JSON.stringify(github).slice(0, -40), "is not JSON."],
    [
      "another object",
      { workflow_runs: [] },
      "is JSON, but neither GitHub's jobs of a run nor GitLab's jobs or test report of a pipeline.",
    ],
    ["a text", '"jobs"', "is JSON, but neither GitHub's jobs of a run nor GitLab's jobs or test report of a pipeline."],
    ["jobs that are no list", { total_count: 1, jobs: {} }, "has jobs in a form that GitHub does not use."],
    ["a negative count", { total_count: -1, jobs: [] }, "has jobs in a form that GitHub does not use."],
    [
      "an unknown conclusion",
      { total_count: 1, jobs: [{ name: "a", status: "completed", conclusion: "fine" }] },
      "has no known status or conclusion in job 1.",
    ],
    [
      "a conclusion from a prototype",
      { total_count: 1, jobs: [{ name: "a", status: "completed", conclusion: "constructor" }] },
      "has no known status or conclusion in job 1.",
    ],
    ["a job without a name", [{ status: "success" }], "has no name in job 1."],
    ["an unknown state", [{ name: "a", status: "great" }], "has no known status in job 1."],
    ["an empty list", [], "is an empty list, so no job was exported."],
    ["a report that lacks cases", { ...report, total_count: 4 }, "counts 4 tests but lists 3."],
    ["a report without cases", { test_suites: [{ name: "a" }] }, "has no test cases in suite 1."],
    ["a report with an unknown state", { test_suites: [{ test_cases: [{ status: "ok" }] }] }, "has no known status in case 1 of suite 1."],
  ])("is refused with one sentence if it is %s", async (_what, content, message) => {
    expect(await resultsOf(content)).toEqual({ ok: false, message });
  });

  it("is refused above 16 MiB", async () => {
    expect(await resultsOf(" ".repeat(16 * 1024 * 1024 + 1))).toMatchObject({ ok: false, message: expect.stringContaining("at most") });
  });
});
