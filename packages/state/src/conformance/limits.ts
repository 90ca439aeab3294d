import { expect } from "vitest";
import { MAX_VALUE_BYTES, StoreUnavailable } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, B, claimedIds, create, entriesOf, HERE, LOG, message, valuesOf } from "./samples.ts";

// With its two quotes in JSON, the first text is exactly as large as a value may be. The second has half as many characters of two bytes each.
const LARGEST = "x".repeat(MAX_VALUE_BYTES - 2);
const TOO_LARGE = "ä".repeat(MAX_VALUE_BYTES / 2);

export const limitChecks: Checks = {
  async "accepts values of 64 KiB everywhere"({ store }) {
    await create(store, A, LARGEST, { append: [{ log: LOG, entries: [LARGEST] }], outbox: [{ ...message("m"), message: LARGEST }] });
    expect(await valuesOf(store, A)).toEqual([LARGEST]);
    expect(await entriesOf(store, LOG)).toEqual([LARGEST]);
  },

  async "refuses larger ones, counted in bytes, and does nothing"({ store }) {
    const guards = [{ key: A, version: 0 }];
    const put = [{ key: A, value: 1 }];
    await expect(store.commit(HERE, { op: "o", guards, put: [{ key: A, value: TOO_LARGE }] })).rejects.toThrow(RangeError);
    await expect(store.commit(HERE, { op: "o", guards, put, append: [{ log: LOG, entries: [1, TOO_LARGE] }] })).rejects.toThrow(RangeError);
    await expect(
      store.commit(HERE, { op: "o", guards, put, outbox: [message("fine"), { ...message("m"), message: TOO_LARGE }] }),
    ).rejects.toThrow(RangeError);
    expect(await valuesOf(store, A)).toEqual([null]);
    expect(await entriesOf(store, LOG)).toEqual([]);
    expect(await claimedIds(store, "outbox")).toEqual([]);
  },

  async "refuses invalid numbers"({ store }) {
    const guards = [{ key: A, version: 0 }];
    const put = [{ key: A, value: 1 }];
    await expect(store.commit(HERE, { op: "o", guards, put, timers: [{ service: "s", id: "t", dueIn: Number.NaN }] })).rejects.toThrow(
      TypeError,
    );
    await expect(
      store.commit(HERE, { op: "o", guards, put, index: [{ index: "i", member: "m", score: Number.POSITIVE_INFINITY }] }),
    ).rejects.toThrow(TypeError);
  },

  async "confirms in a probe that it accepts changes, without counting a commit for it"({ store }) {
    await store.probe();
    const first = await create(store, A, 1);
    for (let probes = 0; probes < 20; probes++) await store.probe();
    expect(await create(store, B, 1)).toBe(first + 1);
    expect(await valuesOf(store, A, B)).toEqual([1, 1]);
  },

  async "is unavailable after it was closed, and can be closed twice"({ store }) {
    await store.close();
    await store.close();
    await expect(store.read([A])).rejects.toThrow(StoreUnavailable);
    await expect(create(store, A, 1)).rejects.toThrow(StoreUnavailable);
    await expect(store.probe()).rejects.toThrow(StoreUnavailable);
    await expect(store.claim("s", "timer", { limit: 1, visibleAfter: 1 })).rejects.toThrow(StoreUnavailable);
  },
};
