import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, HERE, valuesOf } from "./samples.ts";

export const lateChecks: Checks = {
  async "refuses a change past its deadline by the store's own clock, and does nothing"({ store, advance }) {
    const { now } = await store.read([A]);
    await advance(2000);
    const reply = await store.commit(HERE, {
      op: "o",
      guards: [{ key: A, version: 0 }],
      put: [{ key: A, value: 1 }],
      notAfter: now + 1000,
    });
    expect(reply).toMatchObject({ outcome: "late", commit: 0 });
    expect(await valuesOf(store, A)).toEqual([null]);
  },

  async "makes a change whose deadline has not passed"({ store }) {
    const { now } = await store.read([A]);
    const reply = await store.commit(HERE, {
      op: "o",
      guards: [{ key: A, version: 0 }],
      put: [{ key: A, value: 1 }],
      notAfter: now + 60_000,
    });
    expect(reply.outcome).toBe("ok");
  },

  async "forgets the op of a late change: it may be made again with a later deadline"({ store }) {
    const change = { op: "o", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1 }] };
    expect((await store.commit(HERE, { ...change, notAfter: 1 })).outcome).toBe("late");
    expect((await store.commit(HERE, change)).outcome).toBe("ok");
  },
};
