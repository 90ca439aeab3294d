import { describe, expect, it } from "vitest";
import { streams } from "./streams.ts";

const stopwatch = { now: () => 0, cpuMs: () => 0 };

describe("the streams benchmark", () => {
  it("stops and cleans up when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(streams({ seconds: 1, stopwatch, signal })).rejects.toThrow("interrupted");
  });
});
