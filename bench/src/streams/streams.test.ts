import { describe, expect, it } from "vitest";
import { streams, type StreamsRow } from "./streams.ts";

const stopwatch = { now: () => 0, cpuMs: () => 0 };

describe("the streams benchmark", () => {
  it("gives every reader every event, whoever else is there", async () => {
    const { rows, table } = await streams({ seconds: 1, stopwatch, signal: new AbortController().signal });
    expect((rows as readonly StreamsRow[]).map(({ readers, missing }) => [readers, missing])).toEqual([
      [100, 0],
      [1000, 0],
      [1000, 0],
    ]);
    expect(table.split("\n")).toHaveLength(5);
  });

  it("stops and cleans up when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(streams({ seconds: 1, stopwatch, signal })).rejects.toThrow("interrupted");
  });
});
