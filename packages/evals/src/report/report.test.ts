import { describe, expect, it } from "vitest";
import { baselineOf } from "../baseline/baseline.ts";
import { compareToBaseline } from "../baseline/compare-baseline.ts";
import type { SuiteResult } from "../result/suite-result.ts";
import { seededRandom } from "../statistics/random-source.ts";
import { madeUpResult } from "../testing/made-up-result.ts";
import { evaluationReport, hasPassed } from "./evaluation-report.ts";
import { htmlReport } from "./html/html-report.ts";
import { markdownReport } from "./markdown-report.ts";
import { reportDocument } from "./report-document.ts";

const reportOf = (result: SuiteResult, baseline?: SuiteResult) => {
  const saved = baseline === undefined ? null : baselineOf(baseline, "1.0.0", "2026-11-29T05:00:00.000Z");
  if (saved === null) return evaluationReport(result, null, seededRandom(1));
  const found = saved.ok ? compareToBaseline(result, saved.value, { over: 0.05, random: seededRandom(1) }) : saved;
  if (!found.ok) throw new Error(found.problem);
  return evaluationReport(result, found.value, seededRandom(1));
};

/** Three scenarios: one always passes, one passes in one repeat of two, one could not be scored. */
const MIXED = madeUpResult([
  { scenario: "good", scores: { order: 1, called: 0.5 }, costMicroUsd: 1000 },
  { scenario: "good", repeat: 2, scores: { order: 1, called: 0.5 }, costMicroUsd: 1000 },
  { scenario: "shaky", scores: { order: 1 }, costMicroUsd: 2000 },
  { scenario: "shaky", repeat: 2, status: "failed", scores: { order: 0 }, costMicroUsd: 2000 },
  { scenario: "broken", status: "error", problem: "The model did not answer.", costMicroUsd: null },
]);

describe("the report document", () => {
  // Pass rate: good 2/2, shaky 1/2, so (1 + 0.5) / 2 = 0.75. tool_use: good (1 + 0.5) / 2 = 0.75, shaky 0.5, so 0.625. Cost 6000 for 3 passed trials.
  it("has the summary, the scenarios and the regression analysis of requirement Q-05, with the figures by hand", () => {
    expect(reportDocument(reportOf(MIXED))).toMatchObject({
      format: "toolbus-eval-report/1",
      suite: "made-up",
      summary: {
        pass_rate: 0.75,
        total_scenarios: 3,
        avg_scores: { tool_use: 0.625 },
        scenarios_by_status: { passed: 1, failed: 0, flaky: 1, error: 1 },
        trials: 5,
        errors: 1,
        cost_usd: 0.006,
        cost_per_successful_task_usd: 0.002,
        input_tokens: 400,
        output_tokens: 80,
        avg_rounds: 2,
        avg_seconds: 0.5,
        pass_rate_by_tag: { all: { pass_rate: 0.75, scenarios: 2 } },
      },
      scenarios: [
        { id: "good", status: "passed", scores: { order: 1, called: 0.5 }, pass_share: 1 },
        {
          id: "shaky",
          status: "flaky",
          scores: { order: 0.5 },
          pass_share: 0.5,
          failures: [{ repeat: 2, score: "order", reason: "order is 0." }],
        },
        { id: "broken", status: "error", scores: {}, pass_share: null, failures: [{ score: null, reason: "The model did not answer." }] },
      ],
      regression_analysis: { baseline: null, regressions: [], improvements: [] },
    });
  });

  // Wilson for 0.75 of 2: z^2 = 3.841459. Centre (0.75 + 0.960365) / 2.920729 = 0.585595. Reach 1.959964 * sqrt(0.75 * 0.25 / 2 + 3.841459 / 16)
  // / 2.920729 = 1.959964 * 0.577830 / 2.920729 = 0.387758. So 0.197838 to 0.973353.
  it("has the interval of the pass rate over the scenarios, and not over the repeats", () => {
    expect(reportDocument(reportOf(MIXED))).toMatchObject({
      summary: { pass_rate_interval: [expect.closeTo(0.197838, 3), expect.closeTo(0.973353, 3)] },
    });
  });

  it("does not know the cost of a successful task if a trial reported none, or if none passed", () => {
    const unknown = madeUpResult([{ scenario: "a", costMicroUsd: null }, { scenario: "b" }]);
    expect(reportDocument(reportOf(unknown))).toMatchObject({ summary: { cost_usd: null, cost_per_successful_task_usd: null } });
    const failed = madeUpResult([{ scenario: "a", status: "failed" }]);
    expect(reportDocument(reportOf(failed))).toMatchObject({ summary: { cost_usd: 0.001, cost_per_successful_task_usd: null } });
  });

  it("lists regressions and improvements against a baseline", () => {
    const before = madeUpResult([{ scenario: "good", scores: { order: 1, called: 0.2 } }]);
    const now = madeUpResult([{ scenario: "good", scores: { order: 0.5, called: 0.4 } }]);
    expect(reportDocument(reportOf(now, before))).toMatchObject({
      regression_analysis: {
        baseline: "1.0.0",
        compared_scenarios: 1,
        regressions: [
          { scenario: null, score: "tool_use" },
          { scenario: "good", score: "order", before: 1, now: 0.5, relative_change: -0.5, uncertain: false },
        ],
        improvements: [{ scenario: "good", score: "called", relative_change: 1 }],
      },
    });
  });

  // Only b, c, d, e, f and g differ, all in favour of the second variant: 2 / 2^6 = 0.03125.
  it("compares variants side by side with the paired test", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const result = madeUpResult([
      ...names.map((scenario) => ({
        scenario,
        status: scenario === "a" ? ("passed" as const) : ("failed" as const),
        scores: { order: 0.2 },
      })),
      ...names.map((scenario) => ({ scenario, variant: "short", scores: { order: 0.9 } })),
    ]);
    const document = reportDocument(reportOf(result));
    expect(document).toMatchObject({
      variant: "default",
      variants: [{ variant: "short", summary: { pass_rate: 1 } }],
      comparisons: [
        {
          first: "default",
          second: "short",
          pairs: 7,
          only_first_passed: 0,
          only_second_passed: 6,
          mcnemar_p: expect.closeTo(0.03125, 10),
          mean_difference: expect.closeTo(0.7, 10),
        },
      ],
    });
    for (const text of [htmlReport(reportOf(result)), markdownReport(reportOf(result))]) expect(text).toMatch(/p = 0\.0313/);
  });

  it("is the same for the same result", () => {
    expect(reportDocument(reportOf(MIXED))).toEqual(reportDocument(reportOf(MIXED)));
  });

  it("says that a result with a trial that could not be scored has not passed", () => {
    expect(hasPassed(MIXED)).toBe(false);
    expect(hasPassed(madeUpResult([{ scenario: "a" }]))).toBe(true);
    expect(hasPassed(madeUpResult([]))).toBe(false);
  });
});

/** Every text of a result that comes from outside, as an attack. */
const ATTACK = `<script>alert(1)</script><img src=x onerror=alert(2)>" onload="alert(3)' \u202Egpj.exe \u001B[31m`;
const hostile = (): SuiteResult => ({
  ...madeUpResult([
    { scenario: ATTACK, status: "failed", scores: { [ATTACK]: 0 }, problem: ATTACK, reason: ATTACK },
    { scenario: ATTACK, variant: ATTACK, scores: { order: 1 } },
  ]),
  suite: "made-up",
  suiteHash: ATTACK,
  startedAt: ATTACK,
  endedAt: ATTACK,
  tags: { [ATTACK]: [ATTACK, "high"] },
  models: { default: ATTACK, [ATTACK]: ATTACK },
});

describe("the HTML page", () => {
  it("escapes every text from outside", () => {
    const page = htmlReport(reportOf(hostile(), { ...hostile(), trials: hostile().trials.slice(0, 1) }));
    // The attack is really in the page, many times.
    expect(page.split("&#60;script&#62;alert(1)").length).toBeGreaterThan(8);
    expect(page).not.toMatch(/<script|<img|\u202E|\u001B/i);
    expect(page).not.toMatch(/" ?onload="/);
  });

  it("is whole by itself: it has no script, asks no server, and its policy forbids both", () => {
    const page = htmlReport(reportOf(MIXED));
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<iframe|\bsrc=|href=|url\(|@import/i);
  });

  it("draws the pass rate by tag, the scores by dimension, and cost and time of each trial", () => {
    const page = htmlReport(reportOf(MIXED));
    expect(page).toContain('aria-label="Pass rate by tag. all 75.0 %, 19.8 % to 97.3 %.');
    expect(page).toContain('aria-label="Scores by dimension. tool_use 62.5 %');
    expect(page).toContain('aria-label="Cost per trial. 4 trials, at most 0.002000 USD, together 0.006000 USD.');
    expect(page).toContain('aria-label="Time per trial. 5 trials, at most 0.50 s, together 2.50 s.');
    expect(page).toContain("The model did not answer.");
  });

  it("contains no number that is none", () => {
    for (const result of [MIXED, madeUpResult([{ scenario: "a", status: "error", problem: "x", costMicroUsd: null, elapsedMs: 0 }])])
      expect(
        htmlReport(reportOf(result)) + markdownReport(reportOf(result)) + JSON.stringify(reportDocument(reportOf(result))),
      ).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the Markdown report", () => {
  it("escapes every text from outside, so that no cell ends early and no HTML is left", () => {
    const markdown = markdownReport(reportOf(hostile()));
    expect(markdown).toContain("&lt;script\\>alert(1)");
    expect(markdown).not.toMatch(/<script|<img|\u202E|\u001B/);
    const piped = markdownReport(reportOf(madeUpResult([{ scenario: "a | b\n# c", scores: { order: 1 } }])));
    expect(piped).toContain("| a \\| b \\# c | passed |");
  });

  it("has the summary and the scenarios as tables", () => {
    expect(markdownReport(reportOf(MIXED))).toMatch(/\| Cost per successful task \| 0\.002000 USD \|[^]*\| shaky \| flaky \| 1 of 2 \|/);
  });
});
