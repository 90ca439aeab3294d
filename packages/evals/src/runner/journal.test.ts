import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Trial } from "../result/trial.ts";
import { madeUpScenario, madeUpSuite } from "../testing/made-up-suite.ts";
import { type Journal, journalHead, openJournal } from "./journal.ts";

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolbus-journal-"));
  file = path.join(folder, "deep", "journal.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const suite = madeUpSuite([madeUpScenario({ id: "one" })]);
const head = journalHead(suite, { variants: [{ name: "default" }], repeats: 1, startedAt: "2026-01-01T00:00:00.000Z" });
const trial = (scenario: string): Trial => ({
  scenario,
  variant: "default",
  repeat: 1,
  status: "passed",
  scores: [],
  usage: { rounds: 1, toolCalls: 0, inputTokens: 1, outputTokens: 1, costMicroUsd: null, elapsedMs: 1 },
});

async function opened(wanted = head, fresh = false): Promise<Journal> {
  const journal = await openJournal(file, wanted, fresh);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

/** Writes a journal with two trials and closes it. */
async function written(): Promise<void> {
  const journal = await opened();
  await journal.addModel("default", "made-up 1");
  await Promise.all([journal.addTrial(trial("one")), journal.addTrial(trial("two"))]);
  await journal.close();
}

describe("the journal of an evaluation", () => {
  it("has the trials, the models and the start of the evaluation that it continues", async () => {
    await written();
    const journal = await opened({ ...head, startedAt: "2027-01-01T00:00:00.000Z" });
    expect(journal.trials).toEqual([trial("one"), trial("two")]);
    expect(journal.models).toEqual({ default: "made-up 1" });
    expect(journal.head.startedAt).toBe(head.startedAt);
    await journal.remove();
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("drops a torn last line, and the next trial has a line of its own", async () => {
    await written();
    await appendFile(file, '{"trial":{"scenario":"th');
    const journal = await opened();
    expect(journal.trials).toEqual([trial("one"), trial("two")]);
    await journal.addTrial(trial("three"));
    await journal.close();
    const again = await opened();
    expect(again.trials.map(({ scenario }) => scenario)).toEqual(["one", "two", "three"]);
    await again.close();
  });

  it("begins again if the first line was torn, and with fresh", async () => {
    await opened().then((journal) => journal.close());
    await writeFile(file, '{"head":{"sui');
    await opened().then((journal) => journal.close());
    await written();
    const journal = await opened(head, true);
    expect(journal.trials).toEqual([]);
    await journal.close();
  });

  it("begins again if no trial of the other evaluation has finished", async () => {
    const journal = await opened();
    await journal.addTrial({ ...trial("one"), status: "error", problem: "There is no profile." });
    await journal.close();
    const other = await opened({ ...head, suiteHash: "b" });
    expect({ trials: other.trials, hash: other.head.suiteHash }).toEqual({ trials: [], hash: "b" });
    await other.close();
    expect(await readFile(file, "utf8")).not.toContain("There is no profile.");
  });

  it.each([
    ["of another suite", { ...head, suite: "other" }, /of the suite made-up/],
    ["of changed scenarios", { ...head, suiteHash: "b" }, /scenarios have changed/],
    ["of other variants", { ...head, variants: { default: "x" } }, /variants are others/],
    ["with another number of repeats", { ...head, repeats: 3 }, /1 repeats, and 3 are wanted/],
  ])("%s is refused with the remedy", async (_, wanted, words) => {
    await written();
    const refused = await openJournal(file, wanted, false);
    expect(refused).toMatchObject({ ok: false, problem: expect.stringMatching(words) });
    expect(refused).toMatchObject({ problem: expect.stringMatching(/--fresh/) });
    expect(await readFile(file, "utf8")).toMatch(/"two"/);
  });

  it.each([
    ["a line in the middle is no JSON", (text: string) => text.replace('{"model"', "garbage")],
    ["the first line is no head", (text: string) => text.slice(text.indexOf("\n") + 1)],
    ["a trial has no scores", (text: string) => text.replaceAll('"scores"', '"notes"')],
  ])("is refused with the line if %s", async (_, spoil) => {
    await written();
    await writeFile(file, spoil(await readFile(file, "utf8")));
    expect(await openJournal(file, head, false)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^Line \d of the journal .*--fresh/),
    });
  });
});
