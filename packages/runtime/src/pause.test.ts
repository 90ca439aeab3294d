import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { pause } from "./pause.ts";

describe("a pause", () => {
  it("lasts as long as it was asked to", async () => {
    const from = performance.now();
    await pause(20, new AbortController().signal);
    // A timer of Node may fire up to a millisecond early.
    expect(performance.now() - from).toBeGreaterThanOrEqual(18);
  });

  it("ends at once, without an error, when its signal aborts or has aborted", async () => {
    const stop = new AbortController();
    const waiting = pause(60_000, stop.signal);
    stop.abort();
    await waiting;
    await pause(60_000, stop.signal);
  });

  it("longer than a timer's maximum lasts, instead of ending at once", async () => {
    const stop = new AbortController();
    let over = false;
    const waiting = pause(2 ** 40, stop.signal).then(() => (over = true));
    await pause(20, new AbortController().signal);
    expect(over).toBe(false);
    stop.abort();
    await waiting;
  });

  it("of a negative length ends in the next turn", async () => {
    await pause(-5, new AbortController().signal);
  });

  it("leaves no listener on its signal", async () => {
    const stop = new AbortController();
    let added = 0;
    const add = stop.signal.addEventListener.bind(stop.signal);
    const remove = stop.signal.removeEventListener.bind(stop.signal);
    stop.signal.addEventListener = (...args: Parameters<typeof add>) => (added++, add(...args));
    stop.signal.removeEventListener = (...args: Parameters<typeof remove>) => (added--, remove(...args));
    await pause(1, stop.signal);
    expect(added).toBe(0);
  });
});
