import { describe, expect, it } from "vitest";
import { telemetry } from "./telemetry.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

describe("the telemetry benchmark", () => {
  it("does its work for real in every row, sends what it measures, and leaves nothing running", async () => {
    const rows = await telemetry({ seconds: 1, stopwatch: hourly(), signal: new AbortController().signal });
    expect(rows.map(({ name }) => name)).toEqual(["read call", "write call"]);
  });

  it("stops and cleans up when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(telemetry({ seconds: 1, stopwatch: hourly(), signal })).rejects.toThrow("interrupted");
  });
});
