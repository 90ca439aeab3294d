import { execFile } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { mutants } from "../mutants/mutants.ts";
import { emptyTally } from "../progress/tally.ts";
import { inChildren } from "./child-pool.ts";
import { coverageText, mutantsText, totalsJson, totalsText } from "./report.ts";
import type { Task, TaskDone } from "./task.ts";

const MAIN = path.resolve(import.meta.dirname, "../main.ts");

describe("npm run simulate", () => {
  it("finds 100 seeds without a violation", { timeout: 300_000 }, async () => {
    const { code, stdout, stderr } = await simulate("--seeds", "100", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ seeds: 100, violations: 0 });
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout))).toEqual(["seeds", "violations", "faults", "perCoreSecond", "work", "ends"]);
  });

  it("says in a log after each tenth how far it is", { timeout: 120_000 }, async () => {
    const { code, stderr } = await simulate("--seeds", "40");
    expect([code, stderr]).toEqual([0, "20 of 40 seeds\n"]);
  });

  it("prints the history of one seed and its outcome", { timeout: 60_000 }, async () => {
    const { code, stdout } = await simulate("--seed", "12");
    expect(stdout).toMatch(/ 1 gateway-0\.1: starts\n/);
    expect(stdout).toMatch(/Seed 12: \d+ events, \d+ faults, everything held\.\n$/);
    expect(code).toBe(0);
  });

  it("says in one sentence what is wrong with its flags", { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await simulate("--seeds", "-3");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain("--seeds");
  });
});

describe("a mutant", () => {
  it("runs in a process of its own and is caught there, while the product beside it passes", { timeout: 120_000 }, async () => {
    const seeds: Task = { kind: "seeds", first: 1, count: 100, options: { linger: false }, untilFound: true };
    const mutated = await doneBy(seeds, "no ledger");
    expect(mutated.found).toHaveLength(1);
    expect((await doneBy({ ...seeds, count: mutated.worlds })).found).toEqual([]);
  });

  it("is one of forty or more", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(40);
  });
});

describe("the report", () => {
  const found = [{ where: "seed 7", violations: ["+5.0 ms G1: a run is stuck"] }];
  const tally = { work: { ...emptyTally().work, turn: 45 }, ends: { "failed time_limit": 1 } };
  const missed = ["floor missed: 0 % of the runs ended done, and 45 % is the least"];
  const coverage = { transitions: { "agent turn": 45 }, changes: { "agent turn: run ready → waiting": 40 }, crashes: { "15": 2 } };
  const totals = { worlds: 10, found, faults: 25, perCoreSecond: 40, tally, coverage, missed };

  it("is a table, and says where to look when something broke", () => {
    const lines = totalsText("seeds", totals).split("\n");
    expect(lines.slice(0, 4).map((line) => line.replaceAll(/ {2,}/g, ": "))).toEqual([
      "seeds: 10",
      "violations: 1",
      "faults injected: 25 (2.5 each)",
      "per second and core: 40",
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^turns +45 \(4\.5 each\)$/));
    expect(lines).toContainEqual(expect.stringMatching(/^runs that ended failed time_limit +1$/));
    expect(lines.slice(-4)).toEqual([
      missed[0],
      "seed 7: +5.0 ms G1: a run is stuck",
      "See a history with npm run simulate -- --seed N.",
      "",
    ]);
    const { work, ends } = tally;
    expect(totalsJson("seeds", totals)).toEqual({ seeds: 10, violations: 1, faults: 25, perCoreSecond: 40, work, ends, missed, found });
  });

  it("says how often each transition and each row of the crash table was reached, and where the others are shown", () => {
    const lines = coverageText(coverage).split("\n");
    expect(lines).toContainEqual(expect.stringMatching(/^agent turn +45$/));
    expect(lines).toContainEqual(expect.stringMatching(/^15 +2 +worker: the effect happened, not finished$/));
    expect(lines).toContainEqual(expect.stringMatching(/^16 +0 +worker: finished, before it publishes$/));
    expect(lines).toContainEqual(expect.stringMatching(/^33 +- +no broker: /));
  });

  it("names each mutant and how it was noticed", () => {
    const text = mutantsText([
      { name: "a", breaks: "b", caught: { seeds: 3, by: "G1: stuck" } },
      { name: "long name", breaks: "what it breaks", caught: null },
    ]);
    expect(text).toContain("a          caught after 3 seeds  G1: stuck\n");
    expect(text).toContain("long name  NOT CAUGHT            what it breaks\n");
    expect(text).toContain("1 of 2 mutants caught.\n");
  });
});

async function doneBy(task: Task, mutant?: string): Promise<TaskDone> {
  const all: TaskDone[] = [];
  const { signal } = new AbortController();
  await inChildren([task], { jobs: 1, signal, ...(mutant === undefined ? {} : { mutant }) }, (done) => all.push(done) > 0);
  const [first] = all;
  if (!first) throw new Error("Nothing was done.");
  return first;
}

function simulate(...argv: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...argv], { maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}
