import { counted } from "@toolbus/contracts";
import type { Finding, Findings } from "./finding.ts";
import { quoted } from "./clean-text.ts";
import { percent } from "./figures.ts";
import type { ReleaseFacts, TestFacts } from "./release-facts.ts";
import { changedAreas, criticalArea, riskyAreas } from "./risky-areas.ts";
import { severityOf } from "./thresholds.ts";

/** Returns the findings from the test results. If no results exist or no test ran, this is unknown and no finding. */
export function testFindings(facts: Pick<ReleaseFacts, "tests" | "paths" | "changes">): Findings {
  const { tests } = facts;
  if (!tests || !hasRun(tests)) return missingTests(tests);
  const findings = [...failures(tests), ...criticalFailures(tests, facts), ...skipped(tests)];
  const clean: Finding = { severity: "low", text: `All tests that ran passed: ${figures(tests)}.`, basis: "tests", rule: "passed-tests" };
  return {
    findings: tests.failed === 0 ? [clean, ...findings] : findings,
    unknowns: tests.passed === null ? ["How many tests passed was not reported."] : [],
  };
}

/** Returns whether at least one test of the results has run. */
export function hasRun({ passed, failed }: TestFacts): boolean {
  return passed !== 0 || failed !== 0;
}

function missingTests(tests: TestFacts | null): Findings {
  const what = tests ? `no test ran, ${counted(tests.skipped, "test")} skipped` : "none were reported";
  return { findings: [], unknowns: [`Test results: ${what}, so whether this release works is unknown.`] };
}

function failures(tests: TestFacts): readonly Finding[] {
  if (tests.failed === 0) return [];
  const share = tests.passed === null ? null : tests.failed / (tests.passed + tests.failed);
  const byShare = severityOf("failedTestShare", share ?? 0);
  const severity = byShare === "high" ? byShare : severityOf("failedTests", tests.failed);
  const reported = share === null ? "" : `, ${percent(share)} of those that ran`;
  return [{ severity, text: `Tests failed: ${figures(tests)}${reported}.`, basis: "tests.failed, tests.passed", rule: "failed-tests" }];
}

function criticalFailures(tests: TestFacts, facts: Pick<ReleaseFacts, "paths" | "changes">): readonly Finding[] {
  const named = tests.failures.filter((failure) => criticalArea(failure));
  const [first] = named;
  if (first !== undefined) {
    const text = `${counted(named.length, "failed test")} in a critical area (${criticalArea(first)}), the first is ${quoted(first, 200)}.`;
    return [{ severity: severityOf("criticalFailures", named.length), text, basis: "tests.failures", rule: "critical-failures" }];
  }
  const unnamed = tests.failed - tests.failures.length;
  const area = changedAreas(facts.paths, facts.changes).find((hit) => riskyAreas[hit.area].critical);
  if (unnamed <= 0 || !area) return [];
  const changed = `${area.area} (${quoted(area.seenIn, 200)})`;
  const text = `${counted(unnamed, "failed test")} without a name in a release that changes ${changed}: a critical failure cannot be ruled out.`;
  return [{ severity: severityOf("criticalFailures", unnamed), text, basis: "tests.failed, changes, areas", rule: "critical-failures" }];
}

function skipped(tests: TestFacts): readonly Finding[] {
  const share = tests.skipped / ((tests.passed ?? 0) + tests.failed + tests.skipped);
  const severity = tests.passed === null ? "low" : severityOf("skippedTestShare", share);
  if (severity === "low") return [];
  return [
    {
      severity,
      text: `Many tests were skipped: ${figures(tests)}, ${percent(share)} of all.`,
      basis: "tests.skipped",
      rule: "skipped-tests",
    },
  ];
}

function figures({ passed, failed, skipped }: TestFacts): string {
  return [...(passed === null ? [] : [`${passed} passed`]), `${failed} failed`, `${skipped} skipped`].join(", ");
}
