import { describe, expect, it } from "vitest";
import { context } from "./context.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

describe("the context benchmark", () => {
  it("builds every context for real, in every row", async () => {
    const { rows, notes } = await context({ seconds: 1, stopwatch: hourly(), signal: new AbortController().signal }, [3, 40, 80]);
    expect(rows).toMatchObject(
      ["3 turns, warm", "40 turns, warm", "80 turns, warm", "3 turns, cold", "40 turns, cold", "80 turns, cold"].map((name) => ({
        name,
        ratio: 1,
      })),
    );
    expect(notes).toHaveLength(1);
  });

  it("stops when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(context({ seconds: 1, stopwatch: hourly(), signal }, [1, 2, 3])).rejects.toThrow("interrupted");
  });
});
