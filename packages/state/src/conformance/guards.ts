import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, create, ELSEWHERE, HERE, keyIn, under, valuesOf } from "./samples.ts";

export const guardChecks: Checks = {
  async "refuses a change whose document has another version"({ store }) {
    const version = await create(store, A, 1);
    expect((await store.commit(HERE, under(A, version + 1, { put: [{ key: A, value: 2 }] }))).outcome).toBe("stale");
    expect(await valuesOf(store, A)).toEqual([1]);
  },

  async "refuses a change whose document is gone"({ store }) {
    expect((await store.commit(HERE, under(A, 1, { put: [{ key: A, value: 2 }] }))).outcome).toBe("stale");
  },

  async "uses version 0 for a document that must not exist"({ store }) {
    await create(store, A, 1);
    expect((await store.commit(HERE, { op: "again", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 2 }] })).outcome).toBe(
      "stale",
    );
    expect(await valuesOf(store, A)).toEqual([1]);
  },

  async "uses version 0 for a document that was removed"({ store }) {
    const version = await create(store, A, 1);
    await store.commit(HERE, under(A, version, { remove: [A] }));
    expect((await store.commit(HERE, { op: "again", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 2 }] })).outcome).toBe("ok");
  },

  async "holds every guard, not only the first"({ store }) {
    const a = await create(store, A, 1);
    const b = await create(store, B, 1);
    const change = {
      op: "both",
      guards: [
        { key: A, version: a },
        { key: B, version: b + 1 },
      ],
      put: [{ key: A, value: 2 }],
    };
    expect((await store.commit(HERE, change)).outcome).toBe("stale");
    expect(
      (
        await store.commit(HERE, {
          ...change,
          guards: [
            { key: A, version: a },
            { key: B, version: b },
          ],
        })
      ).outcome,
    ).toBe("ok");
  },

  async "refuses a malformed change: no guard, no version, one document twice"({ store }) {
    const put = [{ key: A, value: 1 }];
    await expect(store.commit(HERE, { op: "o", guards: [], put })).rejects.toThrow(TypeError);
    await expect(store.commit(HERE, { op: "o", guards: [{ key: A, version: -1 }], put })).rejects.toThrow(TypeError);
    await expect(store.commit(HERE, { op: "o", guards: [{ key: A, version: 0 }], put, remove: [A] })).rejects.toThrow(TypeError);
    expect(await valuesOf(store, A)).toEqual([null]);
  },

  async "refuses keys of another shard, and unknown keys and shards"({ store }) {
    const there = keyIn(ELSEWHERE, "a");
    const guards = [{ key: A, version: 0 }];
    const put = [{ key: A, value: 1 }];
    await expect(store.commit(HERE, { op: "o", guards: [...guards, { key: there, version: 0 }], put })).rejects.toThrow(RangeError);
    await expect(store.commit(HERE, { op: "o", guards, put: [...put, { key: there, value: 1 }] })).rejects.toThrow(RangeError);
    await expect(store.commit(HERE, { op: "o", guards, put, remove: [there] })).rejects.toThrow(RangeError);
    await expect(store.commit(HERE, { op: "o", guards, put, append: [{ log: there, entries: [1] }] })).rejects.toThrow(RangeError);
    await expect(store.commit("zz", { op: "o", guards, put })).rejects.toThrow(RangeError);
    await expect(store.read([keyIn("zz", "a")])).rejects.toThrow(RangeError);
    await expect(store.read(["no-shard"])).rejects.toThrow(TypeError);
    expect(await valuesOf(store, A, there)).toEqual([null, null]);
  },

  async "refuses a change that would do its work twice if repeated"({ store }) {
    const guards = [{ key: A, version: 0 }];
    await expect(store.commit(HERE, { op: "o", guards, put: [{ key: B, value: 1 }] })).rejects.toThrow(TypeError);
    expect((await store.commit(HERE, { op: "o", guards, remove: [B] })).outcome).toBe("ok");
  },
};
