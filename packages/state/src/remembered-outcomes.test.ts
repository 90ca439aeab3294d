import { describe, expect, it } from "vitest";
import { memoryStore } from "./memory/memory-store.ts";
import { rememberingOutcomes } from "./remembered-outcomes.ts";
import { type Change, StoreRefused, type StateStore, StoreUnavailable } from "./state-store.ts";

const SHARD = "00";
const REFUSED = new StoreRefused("It holds other data under a key of the state store.");

describe("a probe of a store that remembers the outcomes of real work", () => {
  it("passes while everything works", async () => {
    const { store } = setup();
    await store.commit(SHARD, putting("a"));
    await expect(store.probe()).resolves.toBeUndefined();
  });

  it("fails once three different documents of a shard in a row were unusable, and passes with the next usable one", async () => {
    const t = setup();
    t.failWith(REFUSED);
    for (const name of ["a", "b"]) await t.tried(name);
    await expect(t.store.probe()).resolves.toBeUndefined();
    await t.tried("c");
    await expect(t.store.probe()).rejects.toMatchObject({ name: "StoreUnavailable", fault: "damaged", cause: REFUSED });
    t.failWith(null);
    await t.store.commit(SHARD, putting("a"));
    await expect(t.store.probe()).resolves.toBeUndefined();
  });

  it("passes however often the same document was unusable", async () => {
    const t = setup();
    t.failWith(REFUSED);
    for (let tries = 0; tries < 10; tries++) await t.tried("a");
    await expect(t.store.probe()).resolves.toBeUndefined();
  });

  it("passes again after a quarter of a minute, because nobody sends work to a service that is not ready", async () => {
    const t = setup();
    t.failWith(REFUSED);
    for (const name of ["a", "b", "c"]) await t.tried(name);
    t.pass(14_999);
    await expect(t.store.probe()).rejects.toThrow(StoreUnavailable);
    t.pass(1);
    await expect(t.store.probe()).resolves.toBeUndefined();
  });

  it("fails if the last change found no room, although a small one still fits", async () => {
    const t = setup();
    t.failWith(new StoreUnavailable("The disk is full.", { fault: "disk" }));
    await t.tried("large");
    await expect(t.store.probe()).rejects.toMatchObject({ fault: "disk" });
    t.failWith(null);
    await t.store.commit(SHARD, putting("a"));
    await expect(t.store.probe()).resolves.toBeUndefined();
  });

  it("fails while a service's rows cannot be claimed, and passes when they can", async () => {
    const t = setup();
    t.failWith(REFUSED);
    await expect(t.store.claim("agent", "timer", { limit: 1, visibleAfter: 1 })).rejects.toThrow(REFUSED);
    await expect(t.store.probe()).rejects.toThrow(/the timer rows of agent/);
    t.failWith(null);
    await t.store.claim("agent", "timer", { limit: 1, visibleAfter: 1 });
    await expect(t.store.probe()).resolves.toBeUndefined();
  });

  it("treats neither an outage nor a caller's mistake as damage", async () => {
    const t = setup();
    for (const error of [new StoreUnavailable("It is away."), new TypeError("A change needs a guard.")]) {
      t.failWith(error);
      for (const name of ["a", "b", "c", "d"]) await t.tried(name);
    }
    await expect(t.store.probe()).resolves.toBeUndefined();
  });
});

function setup() {
  let fails: Error | null = null;
  let now = 0;
  const bare = memoryStore({ clock: () => 1 });
  const orFail = <T>(work: () => Promise<T>): Promise<T> => (fails ? Promise.reject(fails) : work());
  const faulty: StateStore = {
    ...bare,
    commit: (shard, change) => orFail(() => bare.commit(shard, change)),
    claim: async (_service: string, _kind: string) => orFail(async () => []),
  };
  const store = rememberingOutcomes(faulty, () => now);
  return {
    store,
    failWith: (error: Error | null) => void (fails = error),
    pass: (ms: number) => void (now += ms),
    tried: (name: string) => expect(store.commit(SHARD, putting(name))).rejects.toThrow(fails ?? "nothing"),
  };
}

function putting(name: string): Change {
  const key = `tb:sample:{${SHARD}}:${name}`;
  return { op: `put ${name}`, guards: [{ key, version: 0 }], put: [{ key, value: 1 }] };
}
