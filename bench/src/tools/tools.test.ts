import { describe, expect, it } from "vitest";
import { tools } from "./tools.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 3_600_000 * ++hours };
}

describe("the benchmark of many tools", () => {
  it("starts, chooses and searches for real, in every row", async () => {
    const { rows } = await tools({ seconds: 1, stopwatch: hourly(), signal: new AbortController().signal }, { few: 20, many: 60 });
    expect(rows).toMatchObject([
      { name: "a start of the bridge with 3 MCP servers of 20 tools against 1", target: 3 },
      { name: "a worker's start, 60 tools against 20", ratio: 1, target: 3 },
      { name: "a run's choice, with the read of the registry, 60 tools against 20", ratio: 1 },
      { name: "a run's choice after a commit that changed no tool, 60 tools against 20", ratio: 1, target: 3 },
      { name: "a run's choice after the heartbeat of a service, 60 tools against 20", ratio: 1, target: 3 },
      { name: "a search, with the read of the registry, 60 tools against 20", ratio: 1 },
      { name: "p99 of a search over 60 tools, against 5 ms", target: 1 },
      { name: "a call through the bridge, 1 in flight", ratio: 1 },
      { name: "a call through the bridge, 32 in flight", ratio: 1 },
    ]);
  }, 60_000);

  it("stops when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(tools({ seconds: 1, stopwatch: hourly(), signal }, { few: 20, many: 40 })).rejects.toThrow("interrupted");
  });
});
