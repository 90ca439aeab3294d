import { findingText, type JsonObject, verdictIn } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { madeUpFacts } from "../testing/made-up-facts.ts";
import { assessChange } from "./change/assess-change.ts";
import { isAssessed, judgeRelease } from "./judge-release.ts";
import { readReleaseFacts } from "./release-facts.ts";
import { riskReport } from "./risk-report.ts";

const clean = {
  from: { name: "v1.0.0" },
  to: { name: "v1.0.1" },
  changes: ["Show the date"],
  size: { lines: 13_000 },
  areas: [{ area: "src/auth" }, { area: "src/payments" }, { area: "db/migrations" }],
  tests: { passed: 100, failed: 0, skipped: 0 },
  deployment_metrics: { error_rate: 0.001, response_time_p95: 400, baseline: { error_rate: 0.001, response_time_p95: 400 } },
} as const satisfies JsonObject;

const summary = (change: JsonObject = {}) => readReleaseFacts(JSON.stringify({ ...clean, ...change }));
const quiet = madeUpFacts({ files: [{ added: 3 }], commits: [{ subject: "Correct the date" }] });
const none = { facts: null, unknown: "Changes of the code: nobody read them." };
const security = madeUpFacts({
  files: [{ added: 5, hunks: [{ line: 7, added: 5, deleted: 0, kind: "other" }] }],
  commits: [{ subject: "Fix a bypass of the login" }],
});

describe("the judgement of a release with facts of its change", () => {
  it("has the findings of the rules over facts, each with its evidence and advice, and their severity", () => {
    const judged = judgeRelease(summary(), { facts: security, unknown: null });
    const change = assessChange(security);
    expect(change.findings.length).toBeGreaterThan(0);
    expect(judged.severity).toBe("high");
    for (const { rule, evidence, advice } of change.findings)
      expect(judged.findings).toContainEqual(expect.objectContaining({ rule, evidence, advice }));
    expect(judged.rules).toEqual(change.fired);
    expect(judged).toMatchObject({ base: { ref: "1.0.0", commit: "a".repeat(12) }, head: { ref: "1.0.1" } });
  });

  it("ignores the words in paths and the raw lines of the summary, which alone would make it high", () => {
    expect(judgeRelease(summary(), none).severity).toBe("high");
    expect(judgeRelease(summary(), { facts: quiet, unknown: null }).severity).toBe("low");
  });

  it.each<[string, JsonObject, string]>([
    [
      "a failed test in a critical area",
      { tests: { passed: 99, failed: 1, skipped: 0, failures: [{ name: "refuses a wrong token", suite: "OAuth" }] } },
      "critical-failures",
    ],
    ["a raised error rate", { deployment_metrics: { error_rate: 0.03, response_time_p95: 400 } }, "error-rate"],
    [
      "a slower service",
      { deployment_metrics: { error_rate: 0.001, response_time_p95: 900, baseline: { response_time_p95: 400 } } },
      "response-time",
    ],
  ])("is still raised by %s", (_, change, rule) => {
    const judged = judgeRelease(summary(change), { facts: quiet, unknown: null });
    expect(judged.severity).toBe("high");
    expect(judged.rules).toContain(rule);
    expect(judged.findings[0]).toMatchObject({ severity: "high", rule });
  });

  it("says why it is not low if a rule without a finding applied", () => {
    const judged = judgeRelease(summary(), {
      facts: madeUpFacts({ files: [{ added: 90 }], commits: [{ subject: "Move the parser" }] }),
      unknown: null,
    });
    expect(judged).toMatchObject({ severity: "medium", rules: ["code-lines"] });
    expect(judged.findings[0]).toMatchObject({ severity: "medium", kind: "release", rule: "code-lines" });
  });
});

describe("a release whose changes are the whole history", () => {
  const begun = (change_count: number, more: JsonObject = {}) =>
    summary({ from: { name: "the beginning of the history" }, to: { name: "HEAD", commit: "a".repeat(40) }, change_count, ...more });

  it("is no large change if the history is long, and nothing is assessed", () => {
    const judged = judgeRelease(begun(301), none);
    expect(judged).toMatchObject({ severity: "low", rules: [] });
    expect(judged.findings.map(({ rule }) => rule)).not.toContain("changed-lines");
    expect(isAssessed(begun(301), none, judged)).toBe(false);
  });

  it("is still assessed if it is short, if the change was read, or by an error rate", () => {
    expect(judgeRelease(begun(300), none).severity).toBe("high");
    expect(isAssessed(begun(301), { facts: quiet, unknown: null }, judgeRelease(begun(301), { facts: quiet, unknown: null }))).toBe(true);
    const failing = begun(301, { deployment_metrics: { error_rate: 0.03, response_time_p95: 400 } });
    const judged = judgeRelease(failing, none);
    expect(judged).toMatchObject({ severity: "high", rules: ["error-rate"] });
    expect(isAssessed(failing, none, judged)).toBe(true);
  });
});

describe("the confidence of a judgement", () => {
  const code = { facts: quiet, unknown: null };

  it("is high if facts, tests and metrics are known", () => {
    expect(judgeRelease(summary(), code)).toMatchObject({ severity: "low", confidence: "high", unknowns: [] });
  });

  it.each<[string, ReturnType<typeof judgeRelease>, string, RegExp]>([
    [
      "tests are not reported",
      judgeRelease(readReleaseFacts(JSON.stringify({ ...clean, tests: null })), code),
      "medium",
      /^Test results: none/,
    ],
    ["no test ran", judgeRelease(summary({ tests: { passed: 0, failed: 0, skipped: 4 } }), code), "medium", /^Test results: no test ran/],
    ["there is no summary", judgeRelease(null, code), "medium", /^Test results: the run has read no release summary/],
    ["nobody read the change", judgeRelease(summary({ areas: [], size: { lines: 9 } }), none), "medium", /^Changes of the code: nobody/],
    ["neither is known", judgeRelease(readReleaseFacts("{}"), none), "low", /^Test results: none/],
  ])("is lower if %s, without a higher severity, and names what is missing", (_, judged, confidence, unknown) => {
    expect(judged).toMatchObject({ severity: "low", confidence });
    expect(judged.unknowns).toContainEqual(expect.stringMatching(unknown));
  });
});

describe("the report of a judgement", () => {
  it("names all places of a high finding in parts, and counts those that a finding omits", () => {
    const commits = Array.from({ length: 30 }, (_, index) => ({
      hash: `${index}`.padStart(12, "a"),
      subject: `Fix XSS ${"in a page ".repeat(20)}`,
    }));
    const judged = judgeRelease(null, {
      facts: madeUpFacts({ files: [{ added: 5 }, { path: "src/b.py", added: 5 }], commits }),
      unknown: null,
    });
    const { findings } = verdictIn(riskReport("v1.0.1", judged, []).findings);
    const own = findings.filter(({ rule }) => rule === "security-wording");
    expect(own.map(({ evidence, evidenceOmitted }) => [evidence.length, evidenceOmitted])).toEqual([
      [6, 0],
      [6, 0],
      [6, 0],
      [6, 6],
    ]);
    expect(new Set(own.flatMap(({ evidence }) => evidence.map((place) => "commit" in place && place.commit))).size).toBe(24);
    expect(own.map(({ text }) => text.slice(0, 40))).toEqual([
      "30 commits to product code say that they",
      ...[2, 3, 4].map((part) => `Further places of the same finding, part ${part}`.slice(0, 40)),
    ]);
  });

  it("contains everything of it as texts", () => {
    const judged = judgeRelease(summary({ tests: null }), { facts: security, unknown: null });
    const { findings, severity } = riskReport("v1.0.1", judged, []);
    const { comments, ...read } = verdictIn(findings);
    expect({ severity, ...read }).toEqual(judged);
    expect(comments).toEqual([]);
    expect(judged.findings[0]?.evidence.length).toBeGreaterThan(0);
  });

  it("has one clean line for each finding, whatever the repository contains", () => {
    const hostile = "Fix a bypass of the login Do: nothing \u202e\u001b[2J";
    const facts = madeUpFacts({ files: [{ added: 5 }], commits: [{ subject: hostile }] });
    const texts = judgeRelease(null, { facts, unknown: null }).findings.map(findingText);
    expect(texts.join("\n")).toContain("bypass");
    for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
