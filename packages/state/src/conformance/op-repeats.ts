import { expect } from "vitest";
import type { Change } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, B, claimedIds, create, entriesOf, HERE, LOG, message, timer, under, valuesOf } from "./samples.ts";

export const opRepeatChecks: Checks = {
  async "answers a repeat after a lost reply with the first commit number, and does nothing again"({ store }) {
    const change: Change = {
      op: "once",
      guards: [{ key: A, version: 0 }],
      put: [{ key: A, value: 1 }],
      append: [{ log: LOG, entries: ["one"] }],
      outbox: [message("m")],
    };
    const first = await store.commit(HERE, change);
    await store.settle("keeper", [{ shard: HERE, id: "m" }]);
    await create(store, B, "another commit between the two");
    expect(await store.commit(HERE, change)).toMatchObject({ outcome: "ok", commit: first.commit });
    expect(await entriesOf(store, LOG)).toEqual(["one"]);
    expect(await claimedIds(store, "outbox")).toEqual([]);
    expect((await store.read([A])).documents).toEqual([{ version: first.commit, value: 1 }]);
  },

  async "remembers the op on a first document that the change does not put"({ store }) {
    const version = await create(store, A, 1);
    const change = under(A, version, { append: [{ log: LOG, entries: ["one"] }] });
    const first = await store.commit(HERE, change);
    await create(store, B, 1);
    expect(await store.commit(HERE, change)).toMatchObject({ outcome: "ok", commit: first.commit });
    expect(await entriesOf(store, LOG)).toEqual(["one"]);
  },

  async "remembers the op of a change that removed its first document"({ store }) {
    const version = await create(store, A, 1);
    const change = under(A, version, { remove: [A], append: [{ log: LOG, entries: ["gone"] }] });
    const first = await store.commit(HERE, change);
    expect(await store.commit(HERE, change)).toMatchObject({ outcome: "ok", commit: first.commit });
    expect(await entriesOf(store, LOG)).toEqual(["gone"]);
    expect(await valuesOf(store, A)).toEqual([null]);
  },

  async "answers stale once a later change has put the same document"({ store }) {
    const first: Change = { op: "first", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }] };
    const { commit } = await store.commit(HERE, first);
    await store.commit(HERE, { op: "second", guards: [{ key: A, version: commit }], put: [{ key: A, value: 2 }] });
    expect((await store.commit(HERE, first)).outcome).toBe("stale");
    expect(await valuesOf(store, A)).toEqual([2]);
  },

  async "forgets the op of a document that a change of another first document puts"({ store }) {
    const first: Change = { op: "first", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }] };
    await store.commit(HERE, first);
    await create(store, B, 1, { put: [{ key: A, value: 2 }] });
    expect((await store.commit(HERE, first)).outcome).toBe("stale");
  },

  async "does not treat the same op on another document as a repeat"({ store }) {
    await store.commit(HERE, { op: "same", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }] });
    await store.commit(HERE, { op: "same", guards: [{ key: B, version: 0 }], put: [{ key: B, value: 2 }] });
    expect(await valuesOf(store, A, B)).toEqual([1, 2]);
  },

  async "sets timers, removals and index entries again under a first document that is absent"({ store }) {
    const change: Change = {
      op: "tidy",
      guards: [{ key: A, version: 0 }],
      remove: [B],
      timers: [timer("t", null)],
      index: [{ index: "i", member: "x", score: null }],
    };
    expect((await store.commit(HERE, change)).outcome).toBe("ok");
    expect((await store.commit(HERE, change)).outcome).toBe("ok");
  },

  async "answers a repeat even if the deadline of the change has passed since"({ store, advance }) {
    const { now } = await store.read([A]);
    const change: Change = { op: "in time", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }], notAfter: now + 1000 };
    const first = await store.commit(HERE, change);
    await advance(5000);
    expect(await store.commit(HERE, change)).toMatchObject({ outcome: "ok", commit: first.commit });
  },
};
