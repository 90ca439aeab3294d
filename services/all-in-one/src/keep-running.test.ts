import { Refusal } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { keepRunning } from "./keep-running.ts";
import type { Replica } from "./start-apart.ts";

type Ending = number | NodeJS.Signals;

/** Simulates one process after another. Each ends when the test ends it. A wait is over at once and is recorded. */
function setup() {
  const clock = { ms: 0 };
  const leaving = new AbortController();
  const said: string[] = [];
  const waits: number[] = [];
  const ends: ((how: Ending) => void)[] = [];
  /** The errors of the next starts. Without an error, a process starts. */
  const outcomes: Error[] = [];
  let reported = Promise.withResolvers<void>();
  const begin = (): Replica => {
    const { promise: ended, resolve } = Promise.withResolvers<Ending>();
    const process = {
      name: "agent",
      pid: 100 + ends.push(resolve),
      urls: {},
      alive: () => true,
      ended,
      stop: () => ended,
      kill: async () => undefined,
    };
    return { service: "agent", number: 1, process };
  };
  const first = begin();
  const kept = keepRunning(
    {
      replicas: () => [first],
      async restart() {
        const failure = outcomes.shift();
        if (failure) throw failure;
        return begin();
      },
    },
    {
      tell(sentence) {
        said.push(sentence);
        reported.resolve();
        reported = Promise.withResolvers();
      },
      signal: leaving.signal,
      monotonic: () => clock.ms,
      async wait(ms) {
        waits.push(ms);
      },
    },
  );
  return {
    said,
    waits,
    outcomes,
    kept,
    leaving,
    starts: () => ends.length,
    /** Ends the running process in this way, this long after it began. Resolves when another process runs, or when none will. */
    async ends(how: Ending, afterMs: number) {
      clock.ms += afterMs;
      ends.at(-1)?.(how);
      const before = ends.length;
      const failed = kept.failed.then(() => true);
      while (ends.length === before && !(await Promise.race([failed, reported.promise.then(() => false)])));
    },
  };
}

describe("processes that end by themselves", () => {
  it("are reported with the way they ended, and start again", async () => {
    const { ends, said, waits } = setup();
    await ends("SIGKILL", 5000);
    await ends(1, 90_000);
    expect(waits).toEqual([1000, 1000]);
    expect(said).toEqual([
      "The process agent (101) was ended by SIGKILL. It starts again in 1 s (1 of 4).",
      "The process agent (102) runs again.",
      "The process agent (102) ended with exit code 1. It starts again in 1 s (1 of 4).",
      "The process agent (103) runs again.",
    ]);
  });

  it("wait twice as long each time, and are given up after the fifth end in a row with the reason", async () => {
    const { ends, waits, kept, starts } = setup();
    for (let n = 0; n < 5; n++) await ends(1, 1000);
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    expect(starts()).toBe(5);
    const failed = await kept.failed;
    expect(failed).toBeInstanceOf(Refusal);
    expect(failed.message).toMatch(
      /^The process agent \(105\) ended with exit code 1\. It ended 5 times in a row: see the earlier messages of agent/,
    );
  });

  it("count a failed start as an end, reported in its own sentence", async () => {
    const { ends, said, outcomes, kept, waits } = setup();
    outcomes.push(...Array.from({ length: 4 }, () => new Refusal("The service agent did not start: Redis is away.")));
    await ends("SIGTERM", 120_000);
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    expect(said[1]).toBe("The service agent did not start: Redis is away. It starts again in 2 s (2 of 4).");
    expect((await kept.failed).message).toMatch(/^The service agent did not start: Redis is away\. It ended 5/);
  });

  it("are left alone when everything was asked to stop", async () => {
    const { kept, leaving, said, starts, ends } = setup();
    leaving.abort();
    void ends(0, 1);
    await kept.settled();
    await new Promise((resolve) => setImmediate(resolve));
    expect({ said, starts: starts() }).toEqual({ said: [], starts: 1 });
  });
});
