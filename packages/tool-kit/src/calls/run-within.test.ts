import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runWithin } from "./run-within.ts";

const names = ["cancelled", "stopped", "lost"] as const;

function setup() {
  const controllers = { cancelled: new AbortController(), stopped: new AbortController(), lost: new AbortController() };
  const signals = { cancelled: controllers.cancelled.signal, stopped: controllers.stopped.signal, lost: controllers.lost.signal };
  const left = (): number => names.reduce((sum, name) => sum + getEventListeners(signals[name], "abort").length, vi.getTimerCount());
  return { controllers, signals, left };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a handler within its limits", () => {
  it.each(names)("is interrupted at once when it is %s, and its own signal aborts", async (why) => {
    const { controllers, signals, left } = setup();
    let own: AbortSignal | undefined;
    const ran = runWithin<string>(
      (signal) => {
        own = signal;
        return new Promise(() => undefined);
      },
      { timeoutMs: 50, signals },
    );
    controllers[why].abort();
    expect(own?.aborted).toBe(true);
    expect(await ran).toEqual({ kind: "interrupted", why });
    expect(left()).toBe(0);
  });

  it.each(names)("does not begin if it was %s before", async (why) => {
    const { controllers, signals, left } = setup();
    controllers[why].abort();
    const work = vi.fn<() => string>(() => "done");
    expect(await runWithin(work, { timeoutMs: 50, signals })).toEqual({ kind: "interrupted", why });
    expect(work).not.toHaveBeenCalled();
    expect(left()).toBe(0);
  });

  it("is interrupted by its time-out, and a later value is dropped", async () => {
    const { signals, left } = setup();
    const { promise, resolve } = Promise.withResolvers<string>();
    const ran = runWithin(() => promise, { timeoutMs: 50, signals });
    vi.advanceTimersByTime(50);
    resolve("too late");
    expect(await ran).toEqual({ kind: "interrupted", why: "timeout" });
    expect(left()).toBe(0);
  });

  it("leaves no listener and no timer when it has ended", async () => {
    const { signals, left } = setup();
    const ran = runWithin(() => "done", { timeoutMs: 50, signals });
    expect(left()).toBe(4);
    expect(await ran).toEqual({ kind: "value", value: "done" });
    expect(left()).toBe(0);
  });
});
