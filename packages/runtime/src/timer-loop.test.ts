import { memoryStore, type StateStore, StoreUnavailable, type TimerRow } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { startTimerLoop } from "./timer-loop.ts";

const SHARD = "05";
const VISIBLE_MS = 1000;

describe("the timer loop", () => {
  it("passes a timer to its handler when it is due, not before", async () => {
    await using t = await setup();
    await t.set("a", 500);
    t.clock.now += 499;
    await t.polled();
    expect(t.handled).toEqual([]);
    t.clock.now += 1;
    await until(() => t.handled.length === 1);
    expect(t.handled).toEqual([{ shard: SHARD, id: "a", due: t.clock.now }]);
  });

  it("passes it again until the handler finishes the obligation", async () => {
    await using t = await setup();
    await t.set("a", 0);
    await until(() => t.handled.length === 1);
    await t.polled();
    expect(t.handled).toHaveLength(1);
    t.clock.now += VISIBLE_MS;
    await until(() => t.handled.length === 2);
    await t.set("a", null);
    t.clock.now += VISIBLE_MS;
    await t.polled();
    expect(t.handled).toHaveLength(2);
  });

  it("passes it again if the handler failed, and delays no other timer", async () => {
    await using t = await setup(({ id }, times) => {
      if (id === "bad" && times === 1) throw new Error("broken");
    });
    await t.set("bad", 0);
    await t.set("good", 0);
    await until(() => t.handled.length === 2);
    t.clock.now += VISIBLE_MS;
    await until(() => t.handled.length === 4);
    expect(t.handled.map(({ id }) => id).toSorted()).toEqual(["bad", "bad", "good", "good"]);
  });

  it("delays no other timer because of a slow handler, and does not pass that one's timer a second time meanwhile", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using t = await setup(({ id }) => (id === "slow" ? held : undefined));
    await t.set("slow", 0);
    await until(() => t.handled.length === 1);
    await t.set("quick", 0);
    await until(() => t.handled.length === 2);
    t.clock.now += VISIBLE_MS;
    await until(() => t.handled.length === 3);
    expect(t.handled.map(({ id }) => id)).toEqual(["slow", "quick", "quick"]);
    release();
    await turn();
    t.clock.now += VISIBLE_MS;
    await until(() => t.handled.filter(({ id }) => id === "slow").length === 2);
  });

  it("handles more than one claim's rows without waiting in between", async () => {
    await using t = await setup(undefined, { pollMs: 60_000, atOnce: 100 });
    await until(() => t.handled.length === 100);
    expect(new Set(t.handled.map(({ id }) => id)).size).toBe(100);
  });

  it("leaves other services' timers alone", async () => {
    await using t = await setup();
    await t.set("theirs", 0, "other");
    await t.set("ours", 0);
    await until(() => t.handled.length === 1);
    await t.polled();
    expect(t.handled.map(({ id }) => id)).toEqual(["ours"]);
  });

  it("continues after the store could not be read for a moment", async () => {
    await using t = await setup();
    t.faults.claim = 3;
    await t.set("a", 0);
    await until(() => t.handled.length === 1);
    expect(t.faults.claim).toBe(0);
  });

  it("waits at a stop for pending handlers, and calls none after it", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using t = await setup(() => held);
    await t.set("a", 0);
    await until(() => t.handled.length === 1);
    let stopped = false;
    const stopping = t.loop.stop().then(() => (stopped = true));
    for (let i = 0; i < 20; i++) await turn();
    expect(stopped).toBe(false);
    release();
    await stopping;
    await t.set("b", 0);
    await t.loop.stop();
    expect(t.handled).toHaveLength(1);
  });

  it("stops at once in the middle of a long wait", async () => {
    await using t = await setup(undefined, { pollMs: 3_600_000 });
    await until(() => t.claims() === 1);
    await t.loop.stop();
    expect(t.claims()).toBe(1);
  });
});

type Handle = (timer: TimerRow, times: number) => void | Promise<void>;

/** Starts a loop over a store with a clock that the test moves. `atOnce` is the number of timers that are due at the start. */
async function setup(handle: Handle = () => undefined, options: { readonly pollMs?: number; readonly atOnce?: number } = {}) {
  const clock = { now: 1_750_000_000_000 };
  const faults = { claim: 0 };
  const store = memoryStore({ clock: () => clock.now });
  const handled: TimerRow[] = [];
  let claims = 0;
  let changes = 0;
  const set = async (id: string, dueIn: number | null, service = "s"): Promise<void> => {
    const key = `tb:sample:{${SHARD}}:${++changes}`;
    await store.commit(SHARD, { op: key, guards: [{ key, version: 0 }], put: [{ key, value: 1 }], timers: [{ service, id, dueIn }] });
  };
  for (let i = 0; i < (options.atOnce ?? 0); i++) await set(`t${i}`, 0);
  const state: StateStore = {
    ...store,
    claim: (async (...asked: Parameters<StateStore["claim"]>) => {
      claims++;
      if (faults.claim > 0) {
        faults.claim--;
        throw new StoreUnavailable("The store is away.");
      }
      return store.claim(...asked);
    }) as StateStore["claim"],
  };
  const loop = startTimerLoop({
    state,
    service: "s",
    async handle(timer) {
      handled.push(timer);
      await handle(timer, handled.filter(({ id }) => id === timer.id).length);
    },
    log: silentLog,
    clock: () => clock.now,
    pollMs: options.pollMs ?? 1,
    visibleMs: VISIBLE_MS,
    random: () => 0.5,
  });
  return {
    clock,
    faults,
    handled,
    loop,
    set,
    claims: () => claims,
    /** Resolves when the loop has polled the store twice more. */
    async polled(): Promise<void> {
      const from = claims;
      await until(() => claims >= from + 2);
    },
    async [Symbol.asyncDispose]() {
      await loop.stop();
      await store.close();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits in turns of the event loop until the condition is true. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}
