import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Ending, runWithin } from "./run-within.ts";

/** Work that goes on until it is told to end, and the function that returns its signal. */
function setup({ outer = new AbortController(), deadlineMs = 50 } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let ask: () => AbortSignal = () => outer.signal;
  const ending: Promise<Ending<string>> = runWithin(deadlineMs, outer.signal, (signal) => {
    ask = signal;
    return promise;
  });
  return { outer, ending, done: resolve, fail: reject, signal: () => ask() };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("work with a deadline", () => {
  it("is late at once at the deadline, even if it goes on, and its signal aborts with a TimeoutError", async () => {
    const { ending, signal, done } = setup();
    const given = signal();
    vi.advanceTimersByTime(49);
    expect(given.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(given.reason).toMatchObject({ name: "TimeoutError", message: "The deadline of 50 ms passed." });
    expect(await ending).toEqual({ kind: "late" });
    done("too late");
    expect(await ending).toEqual({ kind: "late" });
  });

  it("gets an aborted signal if it asks only after the deadline", async () => {
    const { outer, ending, signal } = setup();
    vi.advanceTimersByTime(50);
    await ending;
    outer.abort(new Error("later"));
    expect(signal().reason).toMatchObject({ name: "TimeoutError" });
  });

  it("gets the same signal each time, which follows the outer one with its reason", async () => {
    const { outer, signal } = setup();
    const given = signal();
    outer.abort(new Error("gone"));
    expect([given.reason, signal().reason]).toEqual([new Error("gone"), new Error("gone")]);
    expect(signal()).toBe(given);
  });

  it("gets a signal that has followed the outer one from the beginning, whenever it asks", async () => {
    const aborted = new AbortController();
    aborted.abort(new Error("before"));
    expect(setup({ outer: aborted }).signal().reason).toEqual(new Error("before"));
    const during = setup();
    during.outer.abort(new Error("during"));
    vi.advanceTimersByTime(50);
    expect(during.signal().reason).toEqual(new Error("during"));
    const after = setup();
    after.outer.abort(new Error("before its end"));
    after.done("done");
    await after.ending;
    expect(after.signal().reason).toEqual(new Error("before its end"));
  });

  it("follows nothing after its end, and leaves no timer and no listener", async () => {
    for (const asks of [true, false]) {
      const { outer, ending, done, signal } = setup();
      if (asks) signal();
      expect(getEventListeners(outer.signal, "abort")).toHaveLength(asks ? 1 : 0);
      done("done");
      expect(await ending).toEqual({ kind: "done", value: "done" });
      expect(getEventListeners(outer.signal, "abort")).toHaveLength(0);
      expect(vi.getTimerCount()).toBe(0);
      outer.abort(new Error("later"));
      expect(signal().aborted).toBe(false);
    }
  });

  it("ends with what it throws, at once or later", async () => {
    const { ending, fail } = setup();
    const thrown = new Error("no");
    fail(thrown);
    expect(await ending).toEqual({ kind: "threw", thrown });
    const atOnce = runWithin(50, new AbortController().signal, () => {
      throw thrown;
    });
    expect(await atOnce).toEqual({ kind: "threw", thrown });
    expect(vi.getTimerCount()).toBe(0);
  });
});
