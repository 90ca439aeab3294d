import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, create, entriesOf, HERE, keyIn, LOG, under } from "./samples.ts";

export const logChecks: Checks = {
  async "numbers the entries of each log from 1, without a gap"({ store }) {
    const other = keyIn(HERE, "other-log");
    const version = await create(store, A, 1, {
      append: [
        { log: LOG, entries: ["one", "two"] },
        { log: other, entries: ["first"] },
      ],
    });
    await store.commit(HERE, under(A, version + 5, { append: [{ log: LOG, entries: ["refused"] }] }));
    await store.commit(HERE, under(A, version, { append: [{ log: LOG, entries: ["three"] }] }));
    expect(await store.range(LOG, { after: 0, limit: 10 })).toEqual([
      { sequence: 1, value: "one" },
      { sequence: 2, value: "two" },
      { sequence: 3, value: "three" },
    ]);
    expect(await store.range(other, { after: 0, limit: 10 })).toEqual([{ sequence: 1, value: "first" }]);
  },

  async "returns the entries after a sequence number, up to the limit"({ store }) {
    await create(store, A, 1, { append: [{ log: LOG, entries: ["one", "two", "three", "four"] }] });
    expect((await store.range(LOG, { after: 1, limit: 2 })).map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(await store.range(LOG, { after: 4, limit: 10 })).toEqual([]);
  },

  async "returns nothing for a log that does not exist, and accepts an empty append"({ store }) {
    await create(store, A, 1, { append: [{ log: LOG, entries: [] }] });
    expect(await entriesOf(store, LOG)).toEqual([]);
    await create(store, B, 1, { append: [{ log: LOG, entries: ["one"] }] });
    expect(await store.range(LOG, { after: 0, limit: 10 })).toEqual([{ sequence: 1, value: "one" }]);
  },
};
