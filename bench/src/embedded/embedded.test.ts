import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { embedded } from "./embedded.ts";
import { fullRun } from "./full-run.ts";
import { ARGUMENTS, act } from "./noop-tools.ts";

/** The limit that `file_risk_report` declares. */
const REPORTS_A_MINUTE = 120;

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

describe("the embedded benchmark", () => {
  it("does its work for real in every row and leaves nothing running", async () => {
    const rows = await embedded({ seconds: 1, stopwatch: hourly(), signal: new AbortController().signal });
    expect(rows.map(({ name }) => name)).toEqual(["read call", "write call", "run"]);
    expect(rows.map(({ ratio }) => ratio)).toEqual([1, 1, 1]);
  });

  it("makes more runs a minute than the tools' own limits allow", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
    const contest = await fullRun(directory, AbortSignal.timeout(60_000));
    try {
      for (let n = 0; n <= REPORTS_A_MINUTE; n++) await contest.subject();
    } finally {
      await contest.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("stops and cleans up when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(embedded({ seconds: 1, stopwatch: hourly(), signal })).rejects.toThrow("interrupted");
  });

  it("calls with the sizes that its figures are given for", () => {
    expect([JSON.stringify(ARGUMENTS).length, JSON.stringify(act()).length]).toEqual([490, 2033]);
  });
});
