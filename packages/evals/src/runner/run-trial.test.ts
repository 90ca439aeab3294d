import { describe, expect, it } from "vitest";
import type { Score } from "../result/trial.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { scoresOf } from "../scoring/scores-of.ts";
import { madeUpObservation } from "../testing/made-up.ts";
import { runTrial, type Scorers } from "./run-trial.ts";
import type { ScenarioHost } from "./scenario-host.ts";

const never = new AbortController().signal;

/** Returns a scenario that expects that the run completes. */
function scenarioWith(told: Partial<Scenario> = {}): Scenario {
  return {
    id: "first",
    description: "",
    tags: [],
    profile: null,
    input: { kind: "messages", messages: ["Hello"] },
    fixtures: {},
    approvals: {},
    turns: null,
    timeoutMs: 10_000,
    expect: { end: "completed" },
    rubric: [],
    ...told,
  };
}

function trialOf(
  run: ScenarioHost["run"],
  scenario = scenarioWith(),
  { lookUp, ...scorers }: Partial<Scorers & Pick<ScenarioHost, "lookUp">> = {},
  signal = never,
) {
  const host: ScenarioHost = { model: "offline rules-1", run, stop: async () => undefined, ...(lookUp ? { lookUp } : {}) };
  return runTrial(scenario, { host, variant: "default", repeat: 2 }, { score: scoresOf, ...scorers }, signal);
}

const completed: ScenarioHost["run"] = async () => madeUpObservation();
const RUBRIC = scenarioWith({ rubric: [{ name: "kind", question: "Is it kind?" }] });
const judged = (told: Partial<Score>): Score => ({ name: "judge kind", dimension: "judge", value: 1, passed: true, reason: "", ...told });

describe("a trial", () => {
  it("passes if each score passes, and says what it cost and which run it was", async () => {
    expect(await trialOf(completed)).toMatchObject({
      scenario: "first",
      variant: "default",
      repeat: 2,
      status: "passed",
      runId: "rn_00_1",
      usage: { rounds: 1, toolCalls: 0, inputTokens: 10, outputTokens: 5, costMicroUsd: 0, elapsedMs: 100 },
    });
  });

  it("fails if one score fails, but not for an advisory one", async () => {
    expect(await trialOf(async () => madeUpObservation({ end: "failed" }))).toMatchObject({ status: "failed" });
    expect(await trialOf(completed, RUBRIC, { judge: async () => [judged({ passed: false })] })).toMatchObject({ status: "failed" });
    expect(await trialOf(completed, RUBRIC, { judge: async () => [judged({ passed: false, advisory: true })] })).toMatchObject({
      status: "passed",
    });
  });

  it("does not know its cost if the price of a model call is unknown", async () => {
    const usage = { inputTokens: 1, outputTokens: 1, modelCalls: 2, toolCalls: 0, costMicroUsd: 5, unpricedCalls: 1 };
    expect(await trialOf(async () => madeUpObservation({ usage }))).toMatchObject({ usage: { costMicroUsd: null } });
  });

  it("that does not end in its time is an error, and the host is told to stop", async () => {
    let aborted = false;
    const trial = await trialOf(
      (_, signal) => {
        signal.addEventListener("abort", () => (aborted = true));
        return new Promise(() => undefined);
      },
      scenarioWith({ timeoutMs: 20 }),
    );
    expect(trial).toMatchObject({ status: "error", problem: "It did not end within 0.02 s.", scores: [] });
    expect(aborted).toBe(true);
  });

  it("that does not end in its time names its last run and where to find it, if the host keeps its runs", async () => {
    const run: ScenarioHost["run"] = ({ onRun }) => {
      for (const runId of ["rn_00_1", "rn_00_2"]) onRun?.(runId);
      return new Promise(() => undefined);
    };
    const late = scenarioWith({ timeoutMs: 20 });
    const trial = await trialOf(run, late, { lookUp: (runId) => `Look at ${runId}.` });
    expect(trial).toMatchObject({ status: "error", runId: "rn_00_2", problem: "It did not end within 0.02 s. Look at rn_00_2." });
    expect(await trialOf(run, late)).not.toHaveProperty("runId");
  });

  it("is no trial if the evaluation was stopped", async () => {
    const stop = new AbortController();
    const trial = trialOf(() => (stop.abort(new Error("Stop.")), new Promise(() => undefined)), scenarioWith(), {}, stop.signal);
    await expect(trial).rejects.toThrow("Stop.");
  });

  it("without a judge has an advisory score for each question, and is an error if it has nothing else", async () => {
    expect(await trialOf(completed, RUBRIC)).toMatchObject({
      status: "passed",
      scores: [{ name: "end" }, { name: "judge kind", passed: false, advisory: true }],
    });
    expect(await trialOf(completed, { ...RUBRIC, expect: {} })).toMatchObject({ status: "error" });
  });

  it("keeps its other scores if the judge fails", async () => {
    const trial = await trialOf(completed, RUBRIC, { judge: async () => Promise.reject(new Error("The judge is away.")) });
    expect(trial).toMatchObject({ status: "error", problem: "The judge is away.", scores: [{ name: "end" }], runId: "rn_00_1" });
  });

  it("is an error if a score that counts could not be decided", async () => {
    const undecided = judged({ value: 0, passed: false, error: true });
    expect(await trialOf(completed, RUBRIC, { judge: async () => [undecided] })).toMatchObject({ status: "error" });
    expect(await trialOf(completed, RUBRIC, { judge: async () => [{ ...undecided, advisory: true }] })).toMatchObject({ status: "passed" });
  });
});
