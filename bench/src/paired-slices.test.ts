import { describe, expect, it } from "vitest";
import { pairedSlices } from "./paired-slices.ts";

/** Sets up clocks that only `work` advances, and a log of the sides that worked. */
function setup() {
  const time = { now: 0, cpu: 0 };
  const turns: string[] = [];
  const work =
    (name: string, ms: number, cpuMs = 0) =>
    async () => {
      if (turns.at(-1) !== name) turns.push(name);
      time.now += ms;
      time.cpu += cpuMs;
    };
  const controller = new AbortController();
  const options = { seconds: 1, sliceMs: 100, stopwatch: { now: () => time.now, cpuMs: () => time.cpu }, signal: controller.signal };
  return { turns, work, options, abort: (reason: Error) => controller.abort(reason) };
}

describe("paired slices", () => {
  it("take turns for the requested time, after one warm-up each", async () => {
    const { turns, work, options } = setup();
    const { subject, bare } = await pairedSlices({ ...options, subject: work("a", 10), bare: work("b", 10) });
    expect(turns).toEqual(Array.from({ length: 6 }, () => ["a", "b"]).flat());
    expect([subject.wallMs, bare.wallMs]).toEqual([500, 500]);
  });

  it("compare each slice with its neighbour: a machine that gets slower changes no ratio", async () => {
    const { options } = setup();
    let now = 0;
    let slowness = 1;
    let last = "bare";
    const { ratios, subject } = await pairedSlices({
      ...options,
      stopwatch: { now: () => now, cpuMs: () => 0 },
      subject: async () => {
        if (last === "bare") slowness *= 2;
        last = "subject";
        now += 40 * slowness;
      },
      bare: async () => {
        last = "bare";
        now += 10 * slowness;
      },
    });
    expect(ratios).toEqual([4, 4, 4, 4, 4]);
    expect(subject.latencies.at(-1)).toBeGreaterThan(4 * (subject.latencies[0] ?? 0));
  });

  it("keep every latency in order and add up the processor's time", async () => {
    const { work, options } = setup();
    const { subject, bare } = await pairedSlices({ ...options, subject: work("a", 50, 7), bare: work("b", 25, 1) });
    expect(subject).toEqual({ wallMs: 500, cpuMs: 70, latencies: Array.from({ length: 10 }, () => 50) });
    expect([bare.latencies.length, bare.cpuMs]).toEqual([20, 20]);
  });

  it("measure five pairs at least, of one piece of work at least", async () => {
    const { work, options } = setup();
    const { subject, ratios } = await pairedSlices({ ...options, subject: work("a", 60_000), bare: work("b", 30_000) });
    expect(subject.latencies).toHaveLength(5);
    expect(ratios).toEqual([2, 2, 2, 2, 2]);
  });

  it("end with the error of work that fails", async () => {
    const { work, options } = setup();
    const broken = pairedSlices({ ...options, subject: async () => Promise.reject(new Error("no answer")), bare: work("b", 1) });
    await expect(broken).rejects.toThrow("no answer");
  });

  it("end with the reason of an abort, also while work hangs", async () => {
    const { work, options, abort } = setup();
    const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>();
    const measuring = pairedSlices({ ...options, subject: () => (hangs(), new Promise(() => undefined)), bare: work("b", 1) });
    await hanging;
    abort(new Error("interrupted"));
    await expect(measuring).rejects.toThrow("interrupted");
  });
});
