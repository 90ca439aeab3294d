import { describe, expect, it } from "vitest";
import { madeUpResult } from "../testing/made-up-result.ts";
import { readSuiteResult } from "./read-suite-result.ts";

const RESULT = madeUpResult([{ scenario: "one", scores: { order: 1 } }]);
const TEXT = JSON.stringify(RESULT, null, 2);

describe("a result file", () => {
  it("is read as it was written, also without its format", () => {
    expect(readSuiteResult(TEXT, "r.json")).toEqual({ ok: true, value: RESULT });
    const { format: _, ...without } = RESULT;
    expect(readSuiteResult(JSON.stringify(without), "r.json")).toEqual({ ok: true, value: without });
  });

  it("may have fields that this version does not know", () => {
    expect(readSuiteResult(JSON.stringify({ ...RESULT, later: 1 }), "r.json")).toMatchObject({ ok: true });
  });

  it.each([
    ["is empty", " \n", /r\.json is empty/],
    ["is no JSON", "PASS all", /r\.json is not JSON/],
    ["is torn", TEXT.slice(0, 200), /r\.json ends in the middle/],
    ["is a list", "[]", /is not a result of an evaluation/],
    ["is null", "null", /is not a result of an evaluation/],
    ["is of another version", JSON.stringify({ ...RESULT, format: "toolbus-eval-result/9" }), /has the format "toolbus-eval-result\/9"/],
    ["has no trials", JSON.stringify({ ...RESULT, trials: [] }), /has no trials/],
    [
      "has a trial twice",
      JSON.stringify({ ...RESULT, trials: [...RESULT.trials, ...RESULT.trials] }),
      /has the trial \["one","default",1\] twice/,
    ],
    ["has a suite whose name leads out of a folder", JSON.stringify({ ...RESULT, suite: "../up" }), /suite/],
    ["has a score above 1", TEXT.replace('"value": 1', '"value": 1.5'), /must be <= 1/],
    ["has a score that is no number", TEXT.replace('"value": 1', '"value": 1e999'), /value/],
  ])("that %s is refused with one sentence and the remedy", (_, text, problem) => {
    const read = readSuiteResult(text, "r.json");
    expect(read).toEqual({ ok: false, problem: expect.stringMatching(problem) });
    expect(read).toEqual({ ok: false, problem: expect.stringMatching(/^The result file r\.json [^\n]+: [^\n]+\.$/) });
  });
});
