import type { Parsed } from "./ci-pipeline.ts";
import { amountOf, type Fields, fieldsOf, lineOf, listOf } from "./foreign-json.ts";
import type { TestRun } from "./junit.ts";
import { casesInOrder, type TestCase } from "./test-case.ts";

const STATES: Readonly<Record<string, TestCase["status"]>> = { success: "passed", failed: "failed", error: "failed", skipped: "skipped" };
const MOST_FAILURES = 50;

/** Parses the answer of GitLab's `GET /projects/:id/pipelines/:pipeline_id/test_report`. */
export function gitlabTests(body: Fields): Parsed<TestRun> {
  const cases: TestCase[] = [];
  for (const [place, entry] of (listOf(body["test_suites"]) ?? []).entries()) {
    const suite = fieldsOf(entry);
    const tests = listOf(suite?.["test_cases"]);
    if (!suite || !tests) return `has no test cases in suite ${place + 1}.`;
    for (const [index, test] of tests.entries()) {
      const fields = fieldsOf(test);
      const state = fields?.["status"];
      const status = typeof state === "string" && Object.hasOwn(STATES, state) ? STATES[state] : undefined;
      if (!fields || status === undefined) return `has no known status in case ${index + 1} of suite ${place + 1}.`;
      const file = lineOf(fields["file"], 300);
      const seconds = amountOf(fields["execution_time"]);
      const message = lineOf(fields["system_output"], 300) ?? lineOf(fields["stack_trace"], 300);
      cases.push({
        status,
        suite: lineOf(suite["name"]) ?? "",
        name: lineOf(fields["name"], 300) ?? "",
        ...(file === undefined ? {} : { file }),
        ...(seconds === undefined ? {} : { seconds }),
        ...(status === "failed" ? { message: message ?? "(no message)" } : {}),
      });
    }
  }
  if (cases.length === 0) return "has no test case.";
  const total = body["total_count"];
  if (typeof total === "number" && total !== cases.length) return `counts ${total} tests but lists ${cases.length}.`;
  const of = (status: TestCase["status"]) => cases.filter((one) => one.status === status);
  const failures = of("failed").slice(0, MOST_FAILURES);
  return {
    tests: {
      passed: of("passed").length,
      failed: of("failed").length,
      skipped: of("skipped").length,
      failures: failures.map(({ name, suite, message = "" }) => ({ name, suite, message })),
    },
    cases: casesInOrder(cases),
  };
}
