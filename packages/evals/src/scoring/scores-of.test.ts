import { describe, expect, it } from "vitest";
import type { Observation } from "../observation/observation.ts";
import type { Expectations } from "../scenario/scenario.ts";
import { madeUpCall, madeUpObservation, madeUpReport } from "../testing/made-up.ts";
import { scoresOf } from "./scores-of.ts";

const score = (expectations: Expectations, told: Partial<Observation> = {}) => scoresOf({ expect: expectations }, madeUpObservation(told));
const passed = (expectations: Expectations, told: Partial<Observation> = {}) => score(expectations, told).map((one) => one.passed);
const values = (expectations: Expectations, told: Partial<Observation> = {}) => score(expectations, told).map(({ value }) => value);

describe("the scorer of the end", () => {
  it("passes the expected end, and says how another run ended", () => {
    expect(passed({ end: "completed" })).toEqual([true]);
    const [other] = score({ end: "completed" }, { end: "failed", code: "rounds", answer: "Too many rounds." });
    expect(other).toMatchObject({
      passed: false,
      dimension: "end",
      reason: "The run ended as failed (rounds), expected completed: Too many rounds.",
    });
  });
});

describe("the scorers of tools", () => {
  const calls = [
    madeUpCall({ tool: "look", arguments: '{"id":"a","n":3}', round: 1 }),
    madeUpCall({ tool: "file", round: 3, status: "denied" }),
  ];

  it("pass a call with its arguments, its round and its status", () => {
    const called = [{ tool: "look", arguments: { id: "a" }, withinRound: 1, status: "ok" }];
    expect(passed({ tools: { called } }, { calls })).toEqual([true]);
  });

  it("give half for the right tool with other arguments, too late or with another status, and nothing for no call", () => {
    expect(values({ tools: { called: [{ tool: "look", arguments: { id: "b" } }] } }, { calls })).toEqual([0.5]);
    expect(values({ tools: { called: [{ tool: "file", withinRound: 2 }] } }, { calls })).toEqual([0.5]);
    expect(values({ tools: { called: [{ tool: "file", status: "ok" }] } }, { calls })).toEqual([0.5]);
    expect(values({ tools: { called: [{ tool: "other" }] } }, { calls })).toEqual([0]);
    expect(passed({ tools: { called: [{ tool: "file", status: "ok" }] } }, { calls })).toEqual([false]);
  });

  it("read arguments that are no JSON as text", () => {
    const broken = [madeUpCall({ tool: "look", arguments: "{not json" })];
    expect(values({ tools: { called: [{ tool: "look", arguments: {} }] } }, { calls: broken })).toEqual([0.5]);
  });

  it("name two expectations of one tool apart, so that a baseline can compare them", () => {
    const called = [{ tool: "look" }, { tool: "look", arguments: { n: 3 } }];
    expect(score({ tools: { called } }, { calls }).map(({ name }) => name)).toEqual(["tools.called look", "tools.called look 2"]);
  });

  it("look for the order as a part of all calls", () => {
    expect(passed({ tools: { order: ["look", "file"] } }, { calls })).toEqual([true]);
    expect(values({ tools: { order: ["file", "look"] } }, { calls })).toEqual([0.5]);
  });

  it("find a call that must not be there", () => {
    expect(passed({ tools: { notCalled: ["other", "file"] } }, { calls })).toEqual([true, false]);
  });
});

describe("the scorers of a decision", () => {
  it("pass an expected severity, and give half for a neighbour", () => {
    expect(values({ severity: ["high"] }, { report: madeUpReport("high") })).toEqual([1]);
    expect(values({ severity: ["high"] }, { report: madeUpReport("medium") })).toEqual([0.5]);
    expect(values({ severity: ["high"] }, { report: madeUpReport("low") })).toEqual([0]);
    expect(passed({ severity: ["high"] }, { report: madeUpReport("medium") })).toEqual([false]);
    expect(passed({ severity: ["high"] }, { report: madeUpReport(null) })).toEqual([false]);
  });

  it("look for findings that must and must not be there", () => {
    const report = madeUpReport("high", ["Payments changed.", "The lockfile moved."]);
    expect(passed({ findings: { include: ["payments", "auth"], exclude: ["docs", "LOCKFILE"] } }, { report })).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("look at the lines of the answer if there is no report", () => {
    expect(passed({ findings: { include: ["refund"] } }, { answer: "Hello\nThe refund is done." })).toEqual([true]);
  });

  it("look at the answer", () => {
    const answer = { includes: ["done"], excludes: ["sorry", "Done."], matches: "^Done" };
    expect(passed({ answer })).toEqual([true, true, false, true]);
  });
});

describe("the scorer of grounded findings", () => {
  const calls = [
    madeUpCall({ tool: "look", content: '{"failed":3,"total":120,"rate":0.0213,"files":["src/pay/a.ts","b"],"version":"1.9.2"}' }),
  ];
  const grounded = (finding: string, told: Partial<Observation> = {}) =>
    score({ findings: { grounded: true } }, { calls, report: madeUpReport("high", [finding]), ...told });

  it("passes figures of the evidence, their percentages and shares, and lengths of lists", () => {
    for (const finding of [
      "3 of 120 tests failed (2.5 %).",
      "The error rate is 2.13 %.",
      "2 files changed.",
      "117 of 120 tests passed, 3 did not.",
    ])
      expect({ finding, score: grounded(finding) }).toMatchObject({ finding, score: [{ passed: true }] });
  });

  it("reads a list of numbers as numbers, and a number with separators as one", () => {
    const listed = [madeUpCall({ tool: "look", content: '{"lines":[100,200],"total":"12,345"}' })];
    for (const figure of ["100", "200", "12,345", "12345"])
      expect({ figure, score: grounded(`It is ${figure} lines.`, { calls: listed }) }).toMatchObject({ figure, score: [{ passed: true }] });
    expect(grounded("It is 345 lines.", { calls: listed })).toMatchObject([{ passed: false }]);
  });

  it("passes a sum and a share within one object, and a name that was joined from its parts", () => {
    const counted = [madeUpCall({ tool: "look", content: '{"files":{"inserted":20,"deleted":3},"test":{"suite":"pay","name":"twice"}}' })];
    for (const finding of ["23 lines changed.", "13.04 % of the lines were deleted.", 'The test "pay › twice" failed.'])
      expect({ finding, score: grounded(finding, { calls: counted }) }).toMatchObject({ finding, score: [{ passed: true }] });
    for (const finding of ["24 lines changed.", "17 lines changed.", 'The test "pay › thrice" failed.'])
      expect({ finding, score: grounded(finding, { calls: counted }) }).toMatchObject({ finding, score: [{ passed: false }] });
  });

  it("finds a figure that nothing shows", () => {
    expect(grounded("7 of 120 tests failed.")).toMatchObject([{ passed: false, value: 0.5, reason: "Not in the evidence: 7." }]);
    expect(grounded("The error rate is 9 %.")).toMatchObject([{ passed: false }]);
  });

  it("passes names of the evidence, and finds a path, a version or an identifier that nothing shows", () => {
    expect(grounded("src/pay/a.ts changed in 1.9.2.")).toMatchObject([{ passed: true }]);
    for (const finding of [
      "src/auth/b.ts changed.",
      "1.9.3 is broken.",
      "CVE-2026-1234 is fixed.",
      'The test "pays twice" failed.',
      "The tool get_more failed.",
    ])
      expect({ finding, score: grounded(finding) }).toMatchObject({ finding, score: [{ passed: false }] });
  });

  it("is advisory if the evidence was cut", () => {
    const cut = [madeUpCall({ tool: "look", content: "x".repeat(4096) })];
    expect(grounded("7 tests failed.", { calls: cut })).toMatchObject([{ passed: false, advisory: true }]);
  });
});

describe("the scorer of approvals", () => {
  const held = madeUpCall({ tool: "file", kind: "write", held: true, decision: { outcome: "approved", by: ["user:ann"] } });

  it("passes a write that waited for people and was decided by them", () => {
    expect(passed({ approvals: [{ tool: "file", decidedBy: "people" }] }, { calls: [held] })).toEqual([true]);
  });

  it("finds a write that did not wait, and one that nobody had to decide", () => {
    const alone = { ...held, held: false, decision: { outcome: "approved", by: [] } };
    expect(passed({ approvals: [{ tool: "file", decidedBy: "people" }] }, { calls: [held, alone] })).toEqual([false]);
    expect(passed({ approvals: [{ tool: "file", decidedBy: "policy" }] }, { calls: [alone] })).toEqual([true]);
    expect(passed({ approvals: [{ tool: "file", decidedBy: "policy" }] }, { calls: [held] })).toEqual([false]);
    expect(passed({ approvals: [{ tool: "file", decidedBy: "people" }] })).toEqual([false]);
  });

  it("finds a write that happened although nobody had decided it", () => {
    const undecided = madeUpCall({ tool: "file", kind: "write", held: true });
    expect(passed({ approvals: [{ tool: "file", decidedBy: "people" }] }, { calls: [undecided] })).toEqual([false]);
  });
});

describe("the scorer of recovery", () => {
  const failing = madeUpCall({ tool: "look", status: "error" });

  it("passes a few repeats after an error, and not more", () => {
    expect(passed({ recovery: { repeatedCalls: 1 } }, { calls: [failing, { ...failing, status: "ok" }] })).toEqual([true]);
    expect(passed({ recovery: { repeatedCalls: 1 } }, { calls: [failing, failing, failing] })).toEqual([false]);
  });

  it("counts only equal calls", () => {
    const other = { ...failing, arguments: '{"n":1}' };
    expect(passed({ recovery: { repeatedCalls: 0 } }, { calls: [failing, other] })).toEqual([true]);
  });

  it("does not pass if no call failed, because then it has shown nothing", () => {
    expect(passed({ recovery: { repeatedCalls: 1 } }, { calls: [madeUpCall({ tool: "look" })] })).toEqual([false]);
  });
});

describe("the scorers of limits", () => {
  it("pass at the limit, and not above it", () => {
    const limits = { rounds: 1, toolCalls: 0, tokens: 15, usd: 0, seconds: 0.1 };
    expect(passed({ limits })).toEqual([true, true, true, true, true]);
    const more = { rounds: 0, tokens: 14, seconds: 0.09 };
    expect(passed({ limits: more })).toEqual([false, false, false]);
  });

  it("do not pass a cost that nobody knows", () => {
    const usage = { inputTokens: 1, outputTokens: 1, modelCalls: 1, toolCalls: 0, costMicroUsd: 1, unpricedCalls: 1 };
    expect(score({ limits: { usd: 5 } }, { usage })).toMatchObject([
      { passed: false, reason: expect.stringContaining("unknown") as string },
    ]);
  });
});
