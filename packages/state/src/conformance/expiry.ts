import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, create, entriesOf, HERE, keyIn, LOG, under, valuesOf } from "./samples.ts";

export const expiryChecks: Checks = {
  async "reads a document as absent from the moment it expires"({ store, advance }) {
    const { now } = await store.read([A]);
    await create(store, A, 1, { put: [{ key: B, value: 2, expiresAt: now + 10_000 }] });
    expect(await valuesOf(store, B)).toEqual([2]);
    await advance(10_000);
    expect(await valuesOf(store, A, B)).toEqual([1, null]);
  },

  async "guards an expired document as absent, so that it can be created again"({ store, advance }) {
    const { now } = await store.read([A]);
    const version = await create(store, A, 1, { put: [{ key: B, value: 2, expiresAt: now + 10_000 }] });
    await advance(10_000);
    expect((await store.commit(HERE, under(B, version, { put: [{ key: B, value: 3 }] }))).outcome).toBe("stale");
    expect(await create(store, B, 4)).toBeGreaterThan(version);
    expect(await valuesOf(store, B)).toEqual([4]);
  },

  async "uses the expiry of a document's last put"({ store, advance }) {
    const { now } = await store.read([A]);
    const version = await create(store, A, 1, { put: [{ key: B, value: 2, expiresAt: now + 10_000 }] });
    await store.commit(HERE, under(A, version, { put: [{ key: B, value: 3 }] }));
    await advance(20_000);
    expect(await valuesOf(store, B)).toEqual([3]);
  },

  async "reads a log as empty from the moment it expires, and starts it again"({ store, advance }) {
    const { now } = await store.read([A]);
    await create(store, A, 1, { append: [{ log: LOG, entries: ["one", "two"], expiresAt: now + 10_000 }] });
    expect(await entriesOf(store, LOG)).toEqual(["one", "two"]);
    await advance(10_000);
    expect(await entriesOf(store, LOG)).toEqual([]);
    await create(store, B, 1, { append: [{ log: LOG, entries: ["anew"] }] });
    expect(await store.range(LOG, { after: 0, limit: 10 })).toEqual([{ sequence: 1, value: "anew" }]);
  },

  async "ends a log with an entry that expires at once"({ store }) {
    await create(store, A, 1, { append: [{ log: LOG, entries: ["one", "two"] }] });
    const { now } = await store.read([A]);
    await create(store, B, 1, { append: [{ log: LOG, entries: ["over"], expiresAt: now }] });
    expect(await entriesOf(store, LOG)).toEqual([]);
    await create(store, keyIn(HERE, "c"), 1, { append: [{ log: LOG, entries: ["anew"] }] });
    expect(await store.range(LOG, { after: 0, limit: 10 })).toEqual([{ sequence: 1, value: "anew" }]);
  },

  async "expires a whole log at the time that was given last"({ store, advance }) {
    const { now } = await store.read([A]);
    await create(store, A, 1, { append: [{ log: LOG, entries: ["one"], expiresAt: now + 10_000 }] });
    await create(store, B, 1, { append: [{ log: LOG, entries: ["two"], expiresAt: now + 30_000 }] });
    await create(store, keyIn(HERE, "c"), 1, { append: [{ log: LOG, entries: ["three"] }] });
    await advance(20_000);
    expect(await entriesOf(store, LOG)).toEqual(["one", "two", "three"]);
    await advance(10_000);
    expect(await entriesOf(store, LOG)).toEqual([]);
  },
};
