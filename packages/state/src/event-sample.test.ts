import { describe, expect, it, vi } from "vitest";
import { eventSample, type LeftOut } from "./event-sample.ts";

const PLACE = { shard: "03" };

/** Samples twenty events a minute, on the test's own clock. */
async function sampled(
  work: (parts: {
    take: (kind: string, times: number) => number;
    pass: (ms: number) => Promise<void>;
    reported: LeftOut[];
    sample: ReturnType<typeof eventSample>;
    fail: { yes: boolean };
  }) => Promise<void>,
) {
  vi.useFakeTimers();
  try {
    const reported: LeftOut[] = [];
    const fail = { yes: false };
    const sample = eventSample({
      perMinute: 20,
      monotonic: () => performance.now(),
      tell: async (leftOut) => {
        if (fail.yes) throw new Error("The store is away.");
        reported.push(leftOut);
      },
    });
    const take = (kind: string, times: number): number =>
      Array.from({ length: times }, () => sample.take(kind, PLACE)).filter(Boolean).length;
    await work({ take, pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)), reported, sample, fail });
  } finally {
    vi.useRealTimers();
  }
}

describe("a sample of events", () => {
  it("keeps the first of a kind in a minute whole and reports how many more there were", async () => {
    await sampled(async ({ take, pass, reported }) => {
      expect(take("missing", 10_000)).toBe(20);
      expect(take("signature", 5)).toBe(5);
      await pass(60_000);
      expect(reported).toEqual([{ kind: "missing", count: 9980, overMs: 60_000, shard: "03" }]);
    });
  });

  it("starts again with each minute, and counts every event", async () => {
    await sampled(async ({ take, pass, reported }) => {
      let whole = 0;
      for (let minute = 0; minute < 5; minute++) {
        whole += take("missing", 100);
        await pass(61_000);
      }
      const leftOut = reported.reduce((sum, { count }) => sum + count, 0);
      expect([whole, leftOut]).toEqual([100, 400]);
    });
  });

  it("reports the number at the stop, and with the next minute's if it could not be stored", async () => {
    await sampled(async ({ take, pass, reported, sample, fail }) => {
      let whole = take("missing", 50);
      fail.yes = true;
      await pass(60_000);
      expect(reported).toEqual([]);
      whole += take("missing", 21);
      fail.yes = false;
      await sample.stop();
      await sample.stop();
      expect(whole + reported.reduce((sum, { count }) => sum + count, 0)).toBe(71);
    });
  });

  it("counts all kinds over its limit together", async () => {
    await sampled(async ({ sample, reported }) => {
      for (let n = 0; n < 1000; n++) sample.take(`kind-${n}`, PLACE);
      await sample.stop();
      expect(reported).toMatchObject([{ kind: "others", count: 1000 - 64 - 20 }]);
    });
  });
});
