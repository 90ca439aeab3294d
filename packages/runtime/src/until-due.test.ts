import { memoryStore, type StateStore } from "@toolbus/state";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noticingStore } from "./noticing-store.ts";
import { untilDue } from "./until-due.ts";

const POLL_MS = 100;
const SHARD = "05";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a reader of the timers of `s`. `waits` returns how long it waited, by the fake clock. */
function setup(state: StateStore = noticingStore(memoryStore({ clock: () => Date.now() }))) {
  const stopping = new AbortController();
  const due = untilDue(state, { service: "s", kind: "timer", pollMs: POLL_MS, signal: stopping.signal });
  let changes = 0;
  return {
    due,
    stopping,
    async claim() {
      return (await state.claim("s", "timer", { limit: 10, visibleAfter: 10_000, onNext: due.onNext })).length;
    },
    async set(id: string, dueIn: number | null, service = "s") {
      const key = `tb:sample:{${SHARD}}:${++changes}`;
      await state.commit(SHARD, { op: key, guards: [{ key, version: 0 }], put: [{ key, value: 1 }], timers: [{ service, id, dueIn }] });
    },
    /** Does this while the reader waits, and returns how long the reader waited in all. */
    async waits(meanwhile?: () => Promise<unknown>, spread = 1): Promise<number> {
      const began = Date.now();
      let ended = false;
      const waiting = due.wait(spread).then(() => void (ended = true));
      await meanwhile?.();
      while (!ended) await vi.advanceTimersByTimeAsync(1);
      await waiting;
      return Date.now() - began;
    },
  };
}

describe("a reader of due rows", () => {
  it("waits until the next row is due, and at most ten times as long as usual", async () => {
    const t = setup();
    await t.claim();
    expect(await t.waits()).toBe(10 * POLL_MS);
    await t.set("t", 430);
    await t.claim();
    expect(await t.waits()).toBe(430);
    expect(await t.claim()).toBe(1);
    // A claim of rows does not say when the next one is due.
    expect(await t.waits()).toBe(POLL_MS);
    await t.claim();
    expect(await t.waits(undefined, 0.75)).toBe(7.5 * POLL_MS);
  });

  it("hears of a row that this process sets while it waits, or while it looks", async () => {
    const t = setup();
    await t.claim();
    expect(await t.waits(() => t.set("a", 300))).toBe(300);
    const looking = t.claim();
    await t.set("b", 40);
    await looking;
    expect(await t.waits()).toBeLessThanOrEqual(40);
    await t.claim();
    expect(
      await t.waits(async () => {
        await t.set("c", 500);
        await t.set("d", 0);
      }),
    ).toBe(5);
  });

  it("does not hear of rows of others, of removed ones, or of later ones", async () => {
    const t = setup();
    await t.claim();
    const others = async (): Promise<void> => {
      await t.set("a", 0, "other");
      await t.set("b", null);
      await t.set("c", 60_000);
    };
    expect(await t.waits(others)).toBe(10 * POLL_MS);
  });

  it("waits as usual after a look that failed, and where nobody notices commits", async () => {
    expect(await setup().waits()).toBe(POLL_MS);
    const t = setup(memoryStore({ clock: () => Date.now() }));
    await t.claim();
    expect(await t.waits(() => t.set("a", 10))).toBe(POLL_MS);
  });

  it("stops waiting when its signal aborts, and hears nothing after its end", async () => {
    const t = setup();
    await t.claim();
    expect(await t.waits(async () => t.stopping.abort())).toBeLessThanOrEqual(1);
    expect(await t.waits()).toBeLessThanOrEqual(1);
    t.due.stop();
    await t.set("a", 0);
  });
});
