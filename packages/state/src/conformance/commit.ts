import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, claimedIds, create, ELSEWHERE, entriesOf, HERE, keyIn, LOG, message, timer, under, valuesOf } from "./samples.ts";

export const commitChecks: Checks = {
  async "moves documents, entries, timers, messages and index members together"({ store }) {
    await create(store, B, "old");
    await create(
      store,
      A,
      { n: 1 },
      {
        remove: [B],
        append: [{ log: LOG, entries: ["one"] }],
        timers: [timer("t", 0)],
        outbox: [message("m")],
        index: [{ index: "i", member: "x", score: 1 }],
      },
    );
    expect(await valuesOf(store, A, B)).toEqual([{ n: 1 }, null]);
    expect(await entriesOf(store, LOG)).toEqual(["one"]);
    expect(await claimedIds(store, "timer")).toEqual(["t"]);
    expect(await claimedIds(store, "outbox")).toEqual(["m"]);
    expect((await store.page("i", { limit: 10 })).members).toEqual([{ member: "x", score: 1 }]);
  },

  async "moves nothing if it is refused"({ store }) {
    const version = await create(store, B, "old");
    const { outcome } = await store.commit(HERE, {
      op: "refused",
      guards: [{ key: B, version: version + 1 }],
      put: [{ key: A, value: 1 }],
      remove: [B],
      append: [{ log: LOG, entries: ["one"] }],
      timers: [timer("t", 0)],
      outbox: [message("m")],
      index: [{ index: "i", member: "x", score: 1 }],
    });
    expect(outcome).toBe("stale");
    expect(await valuesOf(store, A, B)).toEqual([null, "old"]);
    expect(await entriesOf(store, LOG)).toEqual([]);
    expect(await claimedIds(store, "timer")).toEqual([]);
    expect(await claimedIds(store, "outbox")).toEqual([]);
    expect((await store.page("i", { limit: 10 })).members).toEqual([]);
  },

  async "gives a document the number of the commit that wrote it as its version"({ store }) {
    const first = await create(store, A, 1);
    const second = await store.commit(HERE, { op: "second", guards: [{ key: A, version: first }], put: [{ key: A, value: 2 }] });
    expect(second.commit).toBe(first + 1);
    expect((await store.read([A])).documents).toEqual([{ version: first + 1, value: 2 }]);
  },

  async "keeps the version of a document that it guards and does not put"({ store }) {
    const version = await create(store, A, 1);
    await store.commit(HERE, under(A, version, { append: [{ log: LOG, entries: ["one"] }] }));
    expect((await store.read([A])).documents).toEqual([{ version, value: 1 }]);
  },

  async "never gives a key the same version twice, not even after removal"({ store }) {
    const first = await create(store, A, 1);
    await store.commit(HERE, under(A, first, { remove: [A] }));
    const second = await create(store, A, 2, { op: "create it again" });
    expect(second).toBeGreaterThan(first);
  },

  async "counts the commits of each shard separately, without a gap"({ store }) {
    const numbers = [await create(store, A, 1), await create(store, B, 1)];
    const elsewhere = await create(store, keyIn(ELSEWHERE, "a"), 1);
    await store.commit(HERE, under(A, 999, { put: [{ key: A, value: 2 }] }));
    numbers.push(await create(store, keyIn(HERE, "c"), 1));
    expect(numbers).toEqual([1, 2, 3]);
    expect(elsewhere).toBe(1);
  },

  async "answers a refusal with the shard's last commit number"({ store }) {
    const version = await create(store, A, 1);
    expect(await store.commit(HERE, under(A, version + 7, { remove: [A] }))).toMatchObject({ outcome: "stale", commit: version });
  },

  async "reads documents of several shards in the order of the keys, with null for missing ones"({ store }) {
    const there = keyIn(ELSEWHERE, "a");
    await create(store, A, "here");
    await create(store, there, "there");
    expect(await valuesOf(store, there, B, A, there)).toEqual(["there", null, "here", "there"]);
  },

  async "keeps every kind of JSON value unchanged"({ store }) {
    const value = { text: "ä\u{1f600}\u0000\n", number: -1.5e-7, big: 2 ** 53 - 1, yes: true, nothing: null, list: [[], {}, ""] };
    await create(store, A, value);
    expect(await valuesOf(store, A)).toEqual([value]);
  },

  async "keeps a stored value separate from the object that was given and the one that was read"({ store }) {
    const value = { list: [1] };
    await create(store, A, value);
    value.list.push(2);
    const read = (await store.read([A])).documents[0]?.value;
    if (read !== null && typeof read === "object") Object.assign(read, { list: "changed" });
    expect(await valuesOf(store, A)).toEqual([{ list: [1] }]);
  },

  async "returns its own time with every answer"({ store, advance }) {
    const before = (await store.read([A])).now;
    await advance(5000);
    const { now } = await store.commit(HERE, { op: "o", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }] });
    expect(now - before).toBeGreaterThanOrEqual(5000);
  },
};
