import { describe, expect, it } from "vitest";
import type { SuiteResult } from "../result/suite-result.ts";
import { seededRandom } from "../statistics/random-source.ts";
import { madeUpResult, type ToldTrial } from "../testing/made-up-result.ts";
import { baselineOf, readBaseline } from "./baseline.ts";
import { WARNS_OVER } from "./change.ts";
import { compareToBaseline } from "./compare-baseline.ts";

const SAVED = "2026-11-29T05:00:00.000Z";

/** Compares two results, the first one saved and read as a baseline. */
function compared(before: SuiteResult, now: SuiteResult, over = WARNS_OVER, variant: string | null = null) {
  const baseline = baselineOf(before, "1.0.0", SAVED);
  if (!baseline.ok) throw new Error(baseline.problem);
  const read = readBaseline(JSON.stringify(baseline.value), "1.0.0.json");
  if (!read.ok) throw new Error(read.problem);
  return compareToBaseline(now, read.value, { over, random: seededRandom(1), variant });
}

function found(before: readonly ToldTrial[], now: readonly ToldTrial[]) {
  const read = compared(madeUpResult(before), madeUpResult(now));
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

const scoring = (value: number, more: Partial<ToldTrial> = {}): ToldTrial => ({
  scenario: "one",
  scores: { "tools.order": value },
  ...more,
});

describe("the comparison with a baseline", () => {
  it("warns of a drop of 5.1 percent, with the figures", () => {
    expect(found([scoring(1)], [scoring(0.949)]).regressions).toMatchObject([
      { scenario: null, score: "tool_use", relative: expect.closeTo(-0.051, 10) },
      {
        scenario: "one",
        variant: "default",
        score: "tools.order",
        before: 1,
        now: 0.949,
        relative: expect.closeTo(-0.051, 10),
        interval: null,
      },
    ]);
  });

  it.each([0.951, 0.95, 1])("does not warn if a score of 1 becomes %f", (now) => {
    expect(found([scoring(1)], [scoring(now)])).toMatchObject({ compared: 1, regressions: [], improvements: [] });
  });

  it("measures the drop relative to the score before, so 0.5 may not become 0.47", () => {
    expect(found([scoring(0.5)], [scoring(0.47)]).regressions).toHaveLength(2);
    expect(found([scoring(0.5)], [scoring(0.476)]).regressions).toEqual([]);
  });

  it("warns of a scenario that passed and fails, and of the pass rate", () => {
    const failed = found([scoring(1)], [scoring(1, { status: "failed" })]);
    expect(failed.regressions.map(({ scenario, score, relative }) => [scenario, score, relative])).toEqual([
      [null, "pass_rate", -1],
      ["one", "passed", -1],
    ]);
  });

  it("lists what rose, also from 0", () => {
    expect(found([scoring(0)], [scoring(0.2)])).toMatchObject({
      regressions: [],
      improvements: [{ score: "tool_use" }, { score: "tools.order", relative: null }],
    });
    expect(found([scoring(0.5)], [scoring(0.6)]).improvements).toHaveLength(2);
  });

  it("names scenarios that are new, gone, changed or not scored, and compares none of them", () => {
    const before = madeUpResult(["gone", "changed", "broken", "same"].map((scenario) => scoring(1, { scenario })));
    const now = madeUpResult([
      ...["new", "changed", "same"].map((scenario) => scoring(0, { scenario })),
      scoring(0, { scenario: "broken", status: "error", problem: "No model." }),
    ]);
    const read = compared(before, { ...now, scenarioHashes: { ...now.scenarioHashes, changed: "another" } });
    if (!read.ok) throw new Error(read.problem);
    expect(read.value.compared).toBe(1);
    expect(read.value.notCompared.map(({ scenario, why }) => [scenario, why])).toEqual([
      ["gone", "gone"],
      ["changed", "changed"],
      ["broken", "error"],
      ["new", "new"],
    ]);
    expect(read.value.regressions.map(({ scenario }) => scenario)).toEqual([null, "same"]);
  });

  it("names scores that only one side has, because a scorer that is gone hides a regression", () => {
    const only = found([{ scenario: "one", scores: { old: 1, both: 1 } }], [{ scenario: "one", scores: { new: 1, both: 1 } }]);
    expect(only.scoresNotCompared).toEqual(["one: old", "one: new"]);
  });

  it("says that a drop is uncertain if the repeats alone may explain it", () => {
    const repeats = (values: readonly number[]) => values.map((value, n) => scoring(value, { repeat: n + 1 }));
    const uncertain = found(repeats([1, 0, 1, 1]), repeats([1, 0, 0, 1])).regressions.find(({ score }) => score === "tools.order");
    expect(uncertain).toMatchObject({ before: 0.75, now: 0.5, uncertain: true, interval: { low: expect.any(Number) } });
    const certain = found(repeats([1, 1, 1, 1, 1]), repeats([0, 0, 0, 0.1, 0])).regressions.find(({ score }) => score === "tools.order");
    expect(certain).toMatchObject({ uncertain: false });
    expect(certain?.interval?.high).toBeLessThan(0);
  });

  it("marks the drop of an advisory score, and keeps it out of the figures that gate", () => {
    const judged = (judge: number) => ({ scenario: "one", scores: { "judge a": judge, "judge b": 1 }, advisory: ["judge a"] });
    expect(found([judged(1)], [judged(0)]).regressions).toMatchObject([{ scenario: "one", score: "judge a", advisory: true }]);
    const alone = (judge: number) => ({ scenario: "one", scores: { "judge a": judge }, advisory: ["judge a"] });
    expect(found([alone(1)], [alone(0)]).regressions.map(({ advisory }) => advisory)).toEqual([true, true]);
  });

  it("compares each variant with itself", () => {
    const both = (value: number) => [scoring(1), scoring(value, { variant: "short" })];
    expect(found(both(1), both(0)).regressions).toMatchObject([
      { scenario: null, variant: "short" },
      { scenario: "one", variant: "short" },
    ]);
  });

  it("names the variants that only the result has, unless one variant is compared", () => {
    const [one, both] = [madeUpResult([scoring(1)]), madeUpResult([scoring(1), scoring(1, { variant: "short" })])];
    const newOnes = (found: ReturnType<typeof compared>) => found.ok && found.value.newVariants;
    expect(newOnes(compared(one, both))).toEqual(["short"]);
    expect(newOnes(compared(both, both))).toEqual([]);
    expect(newOnes(compared(both, one))).toEqual([]);
    expect(newOnes(compared(one, both, WARNS_OVER, "short"))).toEqual([]);
  });

  it("compares a named variant with the first one of the baseline, and no other", () => {
    const [before, now] = [
      madeUpResult([scoring(1), scoring(1, { scenario: "two" })]),
      madeUpResult([scoring(0.5), scoring(0.8, { variant: "short" }), scoring(1, { scenario: "two", variant: "short" })]),
    ];
    const plain = compared(before, now);
    expect(plain).toMatchObject({ ok: true, value: { compared: 1, notCompared: [{ why: "gone" }, { why: "new" }, { why: "new" }] } });
    const named = compared(before, now, WARNS_OVER, "short");
    expect(named).toMatchObject({
      ok: true,
      value: {
        compared: 2,
        notCompared: [],
        regressions: [
          { scenario: null, variant: "short", before: 1, now: 0.9 },
          { scenario: "one", variant: "short", before: 1, now: 0.8 },
        ],
      },
    });
    expect(compared(before, now, WARNS_OVER, "shorter")).toEqual({
      ok: false,
      problem: 'The result has no variant "shorter", but default, short: name one of them.',
    });
  });

  it("refuses a baseline of another suite with one sentence", () => {
    expect(compared(madeUpResult([scoring(1)], { suite: "other" }), madeUpResult([scoring(1)]))).toEqual({
      ok: false,
      problem:
        "The baseline 1.0.0 cannot be compared, because it is of the suite other, and the result is of the suite made-up: name a baseline of the suite made-up.",
    });
  });
});

describe("a baseline", () => {
  it("is not made of a result with a trial that could not be scored", () => {
    const result = madeUpResult([scoring(1, { status: "error", problem: "The model did not answer." })]);
    expect(baselineOf(result, "1.0.0", SAVED)).toEqual({
      ok: false,
      problem: expect.stringMatching(/the scenario one could not be scored \(The model did/),
    });
  });

  it.each(["", "../1", "a/b", ".hidden", "x".repeat(101)])("does not get the version %j, because the version names a file", (version) => {
    expect(baselineOf(madeUpResult([scoring(1)]), version, SAVED)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/cannot have the version/),
    });
  });

  it.each([
    ["torn", '{"format": "toolbus-eval-base', /ends in the middle/],
    ["empty", "", /is not JSON/],
    ["of another version", '{"format":"toolbus-eval-baseline/2"}', /is not a baseline/],
    [
      "without a result",
      `{"format":"toolbus-eval-baseline/1","version":"1","savedAt":"${SAVED}","result":{}}`,
      /is not a result of an evaluation/,
    ],
    [
      "of a later result",
      `{"format":"toolbus-eval-baseline/1","version":"1","savedAt":"${SAVED}","result":{"format":"toolbus-eval-result/2"}}`,
      /toolbus-eval-result\/2/,
    ],
  ])("that is %s is refused with one sentence", (_, text, problem) => {
    expect(readBaseline(text, "b.json")).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });
});
