import { BusUnavailable, memoryBus, type MessageBus } from "@toolbus/bus";
import { type Json, type Message, message } from "@toolbus/contracts";
import { type Change, memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { type OutboxOptions, startOutbox } from "./outbox.ts";

const SHARD = "05";
const TOPIC = "run.wake";
const VISIBILITY_MS = 1000;

describe("the outbox", () => {
  it("publishes the messages of a commit, and removes them when the broker confirmed", async () => {
    await using t = await setup();
    expect(await t.outbox.commit(SHARD, change("a", "a1", "a2"))).toMatchObject({ outcome: "ok" });
    await until(() => t.arrived.length === 2);
    expect(t.arrived).toEqual(["a1", "a2"]);
    expect(await t.left()).toEqual([]);
  });

  it("commits a change without messages, and publishes nothing", async () => {
    await using t = await setup();
    expect(await t.outbox.commit(SHARD, change("a"))).toMatchObject({ outcome: "ok" });
    expect(await t.left()).toEqual([]);
    expect(t.arrived).toEqual([]);
  });

  it("publishes nothing for a commit that did not happen", async () => {
    await using t = await setup();
    expect(await t.outbox.commit(SHARD, { ...change("a", "a1"), guards: [{ key: keyOf("a"), version: 7 }] })).toMatchObject({
      outcome: "stale",
    });
    expect(await t.left()).toEqual([]);
    expect(t.arrived).toEqual([]);
  });

  it("keeps messages that the bus did not accept, and the relay publishes them after their visibility, not before", async () => {
    await using t = await setup();
    t.faults.publish = 1;
    await t.outbox.commit(SHARD, change("a", "a1"));
    await until(() => t.tried.length === 1);
    t.clock.now += VISIBILITY_MS - 1;
    await t.polled();
    expect(t.tried).toEqual(["a1"]);
    t.clock.now += 1;
    await until(() => t.arrived.length === 1);
    expect(t.tried).toEqual(["a1", "a1"]);
    expect(await t.left()).toEqual([]);
  });

  it("says in one sentence, without a stack, that nobody takes a topic yet", async () => {
    const warn = vi.fn<Log["warn"]>();
    await using t = await setup({ log: { ...silentLog, warn } });
    const [row] = change("a", "a1").outbox ?? [];
    if (!row) throw new Error("The change has no message.");
    await t.outbox.commit(SHARD, {
      ...change("a"),
      outbox: [{ ...row, topic: "tool.result.nobody", message: { ...aMessage("a1"), topic: "tool.result.nobody" } as unknown as Json }],
    });
    await until(() => warn.mock.calls.length === 1);
    expect(warn.mock.calls[0]?.[0]).toEqual({
      code: "unroutable",
      why: expect.stringMatching(/^No queue takes "tool\.result\.nobody"/),
      id: "a1",
      topic: "tool.result.nobody",
    });
  });

  it("publishes once, after the commit and without a row, what a timer of the change repeats", async () => {
    await using t = await setup();
    expect(await t.outbox.commit(SHARD, change("a", "a1"), [aMessage("r1"), aMessage("r2")])).toMatchObject({ outcome: "ok" });
    await until(() => t.arrived.length === 3);
    expect(t.arrived.toSorted()).toEqual(["a1", "r1", "r2"]);
    expect(t.rows).toEqual(["a1"]);
    t.clock.now += VISIBILITY_MS;
    await t.polled();
    expect(t.tried).toHaveLength(3);
  });

  it("says that a message without a row was not confirmed, and does not try it again", async () => {
    const warn = vi.fn<Log["warn"]>();
    await using t = await setup({ log: { ...silentLog, warn } });
    t.faults.publish = 1;
    await t.outbox.commit(SHARD, change("a"), [aMessage("r1")]);
    await until(() => warn.mock.calls.length === 1);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ id: "r1", topic: TOPIC });
    t.clock.now += VISIBILITY_MS;
    await t.polled();
    expect(t.tried).toEqual(["r1"]);
  });

  it("publishes nothing without a row for a commit that did not happen", async () => {
    await using t = await setup();
    const stale = { ...change("a"), guards: [{ key: keyOf("a"), version: 7 }] };
    expect(await t.outbox.commit(SHARD, stale, [aMessage("r1")])).toMatchObject({ outcome: "stale" });
    await t.polled();
    expect(t.tried).toEqual([]);
  });

  it("waits at a stop for a message without a row too", async () => {
    await using t = await setup();
    const open = t.holdPublishing();
    await t.outbox.commit(SHARD, change("a"), [aMessage("r1")]);
    let stopped = false;
    const stopping = t.outbox.stop().then(() => (stopped = true));
    await t.turns(20);
    expect(stopped).toBe(false);
    open();
    await stopping;
    await until(() => t.arrived.length === 1);
  });

  it("keeps retrying while the bus is unavailable", async () => {
    await using t = await setup();
    t.faults.publish = 4;
    await t.outbox.commit(SHARD, change("a", "a1"));
    for (let tries = 1; tries < 5; tries++) {
      await until(() => t.tried.length === tries);
      t.clock.now += VISIBILITY_MS;
    }
    await until(() => t.arrived.length === 1);
    expect(await t.left()).toEqual([]);
  });

  it("repeats a commit whose reply was lost, under the same op, and publishes once", async () => {
    await using t = await setup();
    t.faults.reply = 2;
    expect(await t.outbox.commit(SHARD, change("a", "a1"))).toMatchObject({ outcome: "ok" });
    await until(() => t.arrived.length === 1);
    expect(t.ops).toEqual(["a", "a", "a"]);
    expect(await t.left()).toEqual([]);
    expect(t.arrived).toEqual(["a1"]);
  });

  it("gives up after three lost replies, and still publishes what was committed", async () => {
    await using t = await setup();
    t.faults.reply = 3;
    await expect(t.outbox.commit(SHARD, change("a", "a1"))).rejects.toThrow(StoreUnavailable);
    expect(t.ops).toEqual(["a", "a", "a"]);
    t.clock.now += VISIBILITY_MS;
    await until(() => t.arrived.length === 1);
    expect(await t.left()).toEqual([]);
  });

  it("does not repeat a commit that is wrong in itself", async () => {
    await using t = await setup();
    await expect(t.outbox.commit(SHARD, { ...change("a"), guards: [] })).rejects.toThrow(TypeError);
    expect(t.ops).toEqual(["a"]);
  });

  it("publishes again what it could not remove", async () => {
    await using t = await setup();
    t.faults.settle = 1;
    await t.outbox.commit(SHARD, change("a", "a1"));
    await until(() => t.arrived.length === 1);
    t.clock.now += VISIBILITY_MS;
    await until(() => t.arrived.length === 2);
    expect(await t.left()).toEqual([]);
  });

  it("takes over what another process left, even more than one claim holds, and only for its own service", async () => {
    await using t = await setup();
    const ids = Array.from({ length: 150 }, (_, i) => `m${i}`);
    await t.state.commit(SHARD, change("before", ...ids));
    const others = change("other", "x1").outbox?.map((row) => ({ ...row, service: "other" })) ?? [];
    await t.state.commit(SHARD, { ...change("other"), outbox: others });
    t.clock.now += 1;
    await until(() => t.arrived.length === 150);
    expect(t.arrived.toSorted()).toEqual(ids.toSorted());
    expect(await t.left()).toEqual([]);
    expect(await t.left("other")).toEqual(["x1"]);
  });

  it("continues after the store could not be read for a moment", async () => {
    await using t = await setup();
    await t.state.commit(SHARD, change("before", "m1"));
    t.faults.claim = 2;
    t.clock.now += 1;
    await until(() => t.arrived.length === 1);
    expect(t.faults.claim).toBe(0);
  });

  it("removes a burst in fewer round trips than it has messages", async () => {
    await using t = await setup();
    await Promise.all(Array.from({ length: 50 }, (_, i) => t.outbox.commit(SHARD, change(`a${i}`, `m${i}`))));
    await until(() => t.arrived.length === 50);
    expect(await t.left()).toEqual([]);
    expect(t.settles()).toBeLessThan(50);
  });

  it("makes a message when it is published, if the row holds only its input", async () => {
    const prepare: OutboxOptions["prepare"] = async (row) => aMessage(`made of ${JSON.stringify(row.message)}`);
    await using t = await setup({ prepare });
    await t.outbox.commit(SHARD, { ...change("a"), outbox: [{ service: "s", id: "r", topic: TOPIC, message: { approval: 7 }, dueIn: 0 }] });
    await until(() => t.arrived.length === 1);
    expect(t.arrived).toEqual(['made of {"approval":7}']);
    expect(await t.left()).toEqual([]);
  });

  it("waits at a stop for pending publishes, and starts none after it", async () => {
    await using t = await setup();
    const release = t.holdPublishing();
    await t.outbox.commit(SHARD, change("a", "a1"));
    let stopped = false;
    const stopping = t.outbox.stop().then(() => (stopped = true));
    await t.turns(20);
    expect(stopped).toBe(false);
    release();
    await stopping;
    expect(await t.left()).toEqual([]);
    await until(() => t.arrived.length === 1);

    await t.state.commit(SHARD, change("later", "l1"));
    t.clock.now += 1;
    await t.turns(20);
    await t.outbox.stop();
    expect(await t.left()).toEqual(["l1"]);
  });
});

/** Starts an outbox over a store and a bus whose faults a test sets. Each number says how often the fault will still happen. */
async function setup(options: Pick<OutboxOptions, "prepare"> & Partial<Pick<OutboxOptions, "log">> = {}) {
  const clock = { now: 1_750_000_000_000 };
  const faults = { publish: 0, reply: 0, settle: 0, claim: 0 };
  const store = memoryStore({ clock: () => clock.now });
  const broker = memoryBus({ clock: () => clock.now });
  const arrived: string[] = [];
  const tried: string[] = [];
  const ops: string[] = [];
  const rows: string[] = [];
  let settles = 0;
  let claims = 0;
  let gate = Promise.resolve();
  await broker.consume(TOPIC, async ({ message: { id } }) => (arrived.push(id), { kind: "ack" }), { concurrency: 1 });
  const bus: MessageBus = {
    ...broker,
    async publish(sent) {
      tried.push(sent.id);
      await gate;
      if (strikes("publish")) throw new BusUnavailable("The broker is away.");
      await broker.publish(sent);
    },
  };
  const state: StateStore = {
    ...store,
    async commit(shard, asked) {
      ops.push(asked.op);
      rows.push(...(asked.outbox ?? []).map(({ id }) => id));
      const reply = await store.commit(shard, asked);
      if (strikes("reply")) throw new StoreUnavailable("The reply was lost.");
      return reply;
    },
    async settle(...rows) {
      settles++;
      if (strikes("settle")) throw new StoreUnavailable("The store is away.");
      await store.settle(...rows);
    },
    claim: (async (...asked: Parameters<StateStore["claim"]>) => {
      claims++;
      if (strikes("claim")) throw new StoreUnavailable("The store is away.");
      return store.claim(...asked);
    }) as StateStore["claim"],
  };
  const outbox = startOutbox({ state, bus, service: "s", log: silentLog, visibilityMs: VISIBILITY_MS, pollMs: 1, ...options });
  function strikes(fault: keyof typeof faults): boolean {
    if (faults[fault] === 0) return false;
    faults[fault]--;
    return true;
  }
  const turns = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    rows,
    faults,
    state: store,
    outbox,
    arrived,
    tried,
    ops,
    turns,
    settles: () => settles,
    /** Resolves when the relay has read the store twice more. */
    async polled(): Promise<void> {
      const from = claims;
      await until(() => claims >= from + 2);
    },
    /** Stops the outbox and returns the ids of the rows that the store still has for a service. */
    async left(service = "s"): Promise<readonly string[]> {
      await outbox.stop();
      clock.now += 1_000_000;
      return (await store.claim(service, "outbox", { limit: 1000, visibleAfter: 0 })).map(({ id }) => id);
    },
    /** Blocks every publish until the test calls the returned function. */
    holdPublishing(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    async [Symbol.asyncDispose]() {
      await outbox.stop();
      await broker.close();
      await store.close();
    },
  };
}

const keyOf = (name: string): string => `tb:sample:{${SHARD}}:${name}`;

/** Returns a change with these messages and with a document that is named after `op`. */
function change(op: string, ...ids: readonly string[]): Change {
  const outbox = ids.map((id) => ({ service: "s", id, topic: TOPIC, message: aMessage(id) as unknown as Json, dueIn: 0 }));
  return { op, guards: [{ key: keyOf(op), version: 0 }], put: [{ key: keyOf(op), value: 1 }], ...(ids.length > 0 ? { outbox } : {}) };
}

function aMessage(id: string): Message {
  return message({ id, topic: TOPIC, type: "toolbus.run.wake", source: "/test", now: 0, body: {} });
}

/** Waits until the condition is true. */
async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 30_000, interval: 1 });
}
