import { describe, expect, it } from "vitest";
import { http } from "./http.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

describe("the http benchmark", () => {
  it("does its work for real in every row and leaves nothing running", async () => {
    const rows = await http({ seconds: 1, stopwatch: hourly(), signal: new AbortController().signal });
    expect(rows.map(({ name }) => name)).toEqual([
      "accept a run",
      "accept a run, in memory",
      "first event of a new run",
      "first event of a run",
      "an event, 1 reader",
      "an event, 100 readers, each",
    ]);
    expect(rows.map(({ ratio }) => ratio)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("stops and cleans up when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(http({ seconds: 1, stopwatch: hourly(), signal })).rejects.toThrow("interrupted");
  });
});
