import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, claimedIds, create, ELSEWHERE, HERE, keyIn, message, SERVICE, timer, under } from "./samples.ts";

export const claimChecks: Checks = {
  async "returns timers that are due, not those that are not due yet"({ store, advance }) {
    await create(store, A, 1, { timers: [timer("now", 0), timer("later", 1000)] });
    expect(await claimedIds(store, "timer")).toEqual(["now"]);
    await advance(1000);
    expect(await claimedIds(store, "timer")).toEqual(["later"]);
  },

  async "says how long it is until the next row is due, if none is"({ store, advance }) {
    const next: number[] = [];
    const look = async (kind: "timer" | "outbox", service = SERVICE): Promise<number> => {
      const options = { limit: 10, visibleAfter: 4000, onNext: (dueIn: number) => void next.push(dueIn) };
      return (kind === "timer" ? await store.claim(service, kind, options) : await store.claim(service, kind, options)).length;
    };
    expect([await look("timer"), await look("outbox"), next.splice(0)]).toEqual([
      0,
      0,
      [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ]);
    await create(store, A, 1, { timers: [timer("later", 9000), { service: "other", id: "t", dueIn: 10 }] });
    await create(store, keyIn(ELSEWHERE, "a"), 1, { timers: [timer("sooner", 5000)], outbox: [message("m", 7000)] });
    expect([await look("timer"), await look("outbox")]).toEqual([0, 0]);
    for (const [at, dueIn] of [5000, 7000].entries()) {
      expect(next[at]).toBeLessThanOrEqual(dueIn);
      expect(next[at]).toBeGreaterThan(dueIn - 2000);
    }
    next.length = 0;
    await advance(5000);
    expect([await look("timer"), next]).toEqual([1, []]);
    // The claimed row is due again later.
    expect(await look("timer")).toBe(0);
    expect(next[0]).toBeLessThanOrEqual(4000);
  },

  async "says when the next timer is due after the first ones were removed and moved"({ store }) {
    const version = await create(store, A, 1, { timers: [timer("first", 3000), timer("second", 6000), timer("third", 9000)] });
    await store.commit(HERE, under(A, version, { timers: [timer("first", null), timer("second", 12_000)] }));
    let next = 0;
    const options = { limit: 10, visibleAfter: 4000, onNext: (dueIn: number) => void (next = dueIn) };
    expect(await store.claim(SERVICE, "timer", options)).toEqual([]);
    expect(next).toBeLessThanOrEqual(9000);
    expect(next).toBeGreaterThan(7000);
  },

  async "arms a claimed timer again instead of popping it"({ store, advance }) {
    await create(store, A, 1, { timers: [timer("t", 0)] });
    expect(await store.claim(SERVICE, "timer", { limit: 10, visibleAfter: 4000 })).toHaveLength(1);
    await advance(3999);
    expect(await claimedIds(store, "timer")).toEqual([]);
    await advance(1);
    expect(await claimedIds(store, "timer")).toEqual(["t"]);
  },

  async "returns the oldest first, over all shards, up to the limit"({ store, advance }) {
    await create(store, A, 1, { timers: [timer("third", 30), timer("first", 10)] });
    await create(store, keyIn(ELSEWHERE, "a"), 1, { timers: [timer("second", 20), timer("fourth", 40)] });
    await advance(100);
    expect(await claimedIds(store, "timer", 3)).toEqual(["first", "second", "third"]);
    expect(await claimedIds(store, "timer", 3)).toEqual(["fourth"]);
  },

  async "says for each row its shard and when it was due"({ store, advance }) {
    const { now } = await store.read([A]);
    await create(store, keyIn(ELSEWHERE, "a"), 1, { timers: [timer("t", 500)] });
    await advance(2000);
    const rows = await store.claim(SERVICE, "timer", { limit: 10, visibleAfter: 1000 });
    expect(rows).toMatchObject([{ shard: ELSEWHERE, id: "t" }]);
    expect((rows[0]?.due ?? 0) - now).toBeGreaterThanOrEqual(500);
    expect((rows[0]?.due ?? 0) - now).toBeLessThan(2000);
  },

  async "sets an existing timer to its new time, and removes it with null"({ store, advance }) {
    const version = await create(store, A, 1, { timers: [timer("moved", 0), timer("removed", 0)] });
    await store.commit(HERE, under(A, version, { timers: [timer("moved", 5000), timer("removed", null)] }));
    expect(await claimedIds(store, "timer")).toEqual([]);
    await advance(5000);
    expect(await claimedIds(store, "timer")).toEqual(["moved"]);
  },

  async "distinguishes timers of one id by service and by shard"({ store }) {
    await create(store, A, 1, { timers: [timer("t", 0), { service: "other", id: "t", dueIn: 0 }] });
    await create(store, keyIn(ELSEWHERE, "a"), 1, { timers: [timer("t", 0)] });
    expect(await claimedIds(store, "timer")).toEqual(["t", "t"]);
    expect(await store.claim("other", "timer", { limit: 10, visibleAfter: 1000 })).toHaveLength(1);
  },

  async "never gives one row to two claimers"({ store }) {
    await create(store, A, 1, { timers: Array.from({ length: 40 }, (_, n) => timer(`t${n}`, 0)) });
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimedIds(store, "timer", 10)));
    expect(claims.flat()).toHaveLength(40);
    expect(new Set(claims.flat()).size).toBe(40);
  },

  async "returns due messages with their topic, until they are settled"({ store, advance }) {
    await create(store, A, 1, { outbox: [message("one"), message("later", 4000)] });
    const options = { limit: 10, visibleAfter: 1000 };
    expect(await store.claim(SERVICE, "outbox", options)).toMatchObject([
      { shard: HERE, id: "one", topic: "topic.one", message: { id: "one" } },
    ]);
    await advance(1000);
    expect(await claimedIds(store, "outbox")).toEqual(["one"]);
    await store.settle(SERVICE, [{ shard: HERE, id: "one" }]);
    await advance(60_000);
    expect(await claimedIds(store, "outbox")).toEqual(["later"]);
  },

  async "settles only the rows of this service and shard, and treats missing rows as settled"({ store }) {
    await create(store, A, 1, { outbox: [message("m")] });
    await create(store, B, 1, { outbox: [message("n")] });
    await store.settle("other", [{ shard: HERE, id: "m" }]);
    await store.settle(SERVICE, [
      { shard: ELSEWHERE, id: "m" },
      { shard: HERE, id: "n" },
    ]);
    await store.settle(SERVICE, [{ shard: HERE, id: "n" }]);
    await store.settle(SERVICE, []);
    expect(await claimedIds(store, "outbox")).toEqual(["m"]);
  },
};
