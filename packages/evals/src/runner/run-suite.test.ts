import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scoresOf } from "../scoring/scores-of.ts";
import { madeUpObservation } from "../testing/made-up.ts";
import { madeUpHost, madeUpScenario, madeUpSuite } from "../testing/made-up-suite.ts";
import { type Journal, journalHead, openJournal } from "./journal.ts";
import { type Progress, runSuite, type SuiteRun } from "./run-suite.ts";
import type { ScenarioHost } from "./scenario-host.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolbus-run-suite-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const suite = madeUpSuite(["one", "two", "three"].map((id) => madeUpScenario({ id })));
const never = new AbortController().signal;

async function journalOf({ repeats = 1, variants = [{ name: "default" }] }: Partial<SuiteRun> = {}): Promise<Journal> {
  const journal = await openJournal(
    path.join(folder, "journal.jsonl"),
    journalHead(suite, { variants, repeats, startedAt: "2026-01-01T00:00:00.000Z" }),
    false,
  );
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

async function ran(host: ScenarioHost, told: Partial<SuiteRun> = {}) {
  const journal = await journalOf(told);
  try {
    return await runSuite({
      suite,
      variants: [{ name: "default" }],
      hostOf: async () => host,
      journal,
      parallel: 2,
      repeats: 1,
      score: scoresOf,
      signal: never,
      now: () => 1_700_000_000_000,
      ...told,
    });
  } finally {
    await journal.close();
  }
}

describe("the run of a suite", () => {
  it("has a trial for each scenario, variant and repeat in this order, and names what was evaluated", async () => {
    const { host, stopped } = madeUpHost();
    const { trials, models } = await ran(host, { variants: [{ name: "default" }, { name: "other" }], repeats: 2 });
    expect(trials.slice(0, 5).map(({ scenario, variant, repeat }) => `${scenario} ${variant} ${repeat}`)).toEqual([
      "one default 1",
      "one default 2",
      "one other 1",
      "one other 2",
      "two default 1",
    ]);
    expect(trials).toHaveLength(12);
    expect(models).toEqual({ default: "made-up 1", other: "made-up 1" });
    expect(stopped()).toBe(2);
  });

  it("runs as many trials at the same time as it may, and no more", async () => {
    const both = Promise.withResolvers<void>();
    let active = 0;
    let most = 0;
    const { host } = madeUpHost(async () => {
      most = Math.max(most, ++active);
      if (active === 2) both.resolve();
      await both.promise;
      active--;
      return madeUpObservation();
    });
    await ran(host);
    expect(most).toBe(2);
  });

  it("goes on after a trial in error, and says why", async () => {
    const { host } = madeUpHost(async (id) => {
      if (id === "two") throw new Error("The scenario two could not begin.");
      return madeUpObservation(id === "three" ? { end: "failed", code: "limit" } : {});
    });
    const { trials } = await ran(host);
    expect(trials.map(({ status }) => status)).toEqual(["passed", "error", "failed"]);
    expect(trials[1]).toMatchObject({ problem: "The scenario two could not begin.", scores: [] });
  });

  it("ends a trial at the time of its scenario, even if the host ignores the signal", async () => {
    const slow = madeUpSuite([madeUpScenario({ id: "one", timeoutMs: 5 }), madeUpScenario({ id: "two" })]);
    const { host } = madeUpHost(async (id) => (id === "one" ? new Promise(() => undefined) : madeUpObservation()));
    const { trials } = await ran(host, { suite: slow });
    expect(trials.map(({ status, problem }) => problem ?? status)).toEqual(["It did not end within 0.005 s.", "passed"]);
  });

  it("that was aborted goes on where it was, and repeats no finished trial", async () => {
    const stop = new AbortController();
    const first = madeUpHost(async (id, signal) => {
      if (id === "one") return madeUpObservation();
      stop.abort(new Error("Interrupted."));
      signal.throwIfAborted();
      return madeUpObservation();
    });
    await expect(ran(first.host, { signal: stop.signal, parallel: 1 })).rejects.toThrow("Interrupted.");
    expect(first.asked).toEqual(["one", "two"]);
    expect(first.stopped()).toBe(1);

    const seen: Progress[] = [];
    const second = madeUpHost();
    const { trials } = await ran(second.host, { onProgress: (progress) => seen.push(progress) });
    expect(second.asked).toEqual(["two", "three"]);
    expect(trials.map(({ status }) => status)).toEqual(["passed", "passed", "passed"]);
    expect(seen[0]).toEqual({ total: 3, done: 1, known: 1, failed: 0, errors: 0 });
    expect(seen.at(-1)).toMatchObject({ done: 3, known: 1 });
  });

  it("runs a trial in error again, and no host if nothing is left", async () => {
    await ran(madeUpHost(async (id) => (id === "two" ? Promise.reject(new Error("Not now.")) : madeUpObservation())).host);
    const second = madeUpHost();
    await ran(second.host);
    expect(second.asked).toEqual(["two"]);
    const third = await ran(second.host, { hostOf: () => Promise.reject(new Error("no host is needed")) });
    expect(third).toMatchObject({ models: { default: "made-up 1" }, trials: [{}, {}, { status: "passed" }] });
  });

  it("does not mix the trials of two models", async () => {
    const { host } = madeUpHost(async () => Promise.reject(new Error("Not now.")));
    await ran(host);
    await expect(ran({ ...host, model: "made-up 2" })).rejects.toThrow(/trials of made-up 1, and the model is now made-up 2: .*--fresh/);
  });
});

describe("the rubric of a scenario", () => {
  const asking = madeUpSuite([madeUpScenario({ id: "one", rubric: [{ name: "honest", question: "Is it honest?" }] })]);

  it("gets an advisory score without a judge, which does not fail the trial", async () => {
    const { trials } = await ran(madeUpHost().host, { suite: asking });
    expect(trials[0]).toMatchObject({
      status: "passed",
      scores: [{ name: "end" }, { name: "judge honest", advisory: true, passed: false }],
    });
  });

  it("alone says nothing without a judge", async () => {
    const alone = madeUpSuite([madeUpScenario({ id: "one", expect: {}, rubric: [{ name: "honest", question: "Is it honest?" }] })]);
    const { trials } = await ran(madeUpHost().host, { suite: alone });
    expect(trials[0]).toMatchObject({ status: "error", problem: expect.stringMatching(/no judge is configured/) });
  });

  it("is judged after the other scores, and a judge that fails keeps these", async () => {
    const judge = async () => [{ name: "judge honest", dimension: "judge" as const, value: 0, passed: false, reason: "No." }];
    expect((await ran(madeUpHost().host, { suite: asking, judge })).trials[0]).toMatchObject({ status: "failed" });
    await rm(path.join(folder, "journal.jsonl"));
    const broken = await ran(madeUpHost().host, { suite: asking, judge: () => Promise.reject(new Error("The judge answered nonsense.")) });
    expect(broken.trials[0]).toMatchObject({
      status: "error",
      problem: "The judge answered nonsense.",
      scores: [{ name: "end", passed: true }],
    });
  });
});
