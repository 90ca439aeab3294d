import { expect } from "vitest";
import type { StateStore } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, B, create, HERE, keyIn, LOG, entriesOf, valuesOf } from "./samples.ts";

const SUM = keyIn(HERE, "sum");
const OTHER = keyIn(HERE, "other");

export const counterChecks: Checks = {
  async "adds up to the ceiling and refuses more as full"({ store }) {
    expect(await add(store, 1, 7, 10)).toBe("ok");
    expect(await add(store, 2, 4, 10)).toBe("full");
    expect(await add(store, 3, 3, 10)).toBe("ok");
    expect(await add(store, 4, 1, 10)).toBe("full");
  },

  async "applies nothing of a change that is refused as full"({ store }) {
    await create(store, A, 1, { add: [{ counter: SUM, by: 10 }] });
    const reply = await store.commit(HERE, {
      op: "too much",
      guards: [{ key: B, version: 0 }],
      put: [{ key: B, value: 1 }],
      append: [{ log: LOG, entries: ["one"] }],
      add: [
        { counter: OTHER, by: 5 },
        { counter: SUM, by: 1, ceiling: 10 },
      ],
    });
    expect(reply).toMatchObject({ outcome: "full", commit: 1 });
    expect(await valuesOf(store, B)).toEqual([null]);
    expect(await entriesOf(store, LOG)).toEqual([]);
    await create(store, B, 1, { add: [{ counter: OTHER, by: 5, ceiling: 5 }] });
  },

  async "has room again after a subtraction"({ store }) {
    await add(store, 1, 10, 10);
    await add(store, 2, -4);
    expect(await add(store, 3, 5, 10)).toBe("full");
    expect(await add(store, 4, 4, 10)).toBe("ok");
  },

  async "never goes below 0"({ store }) {
    await add(store, 1, 3);
    await add(store, 2, -100);
    expect(await add(store, 3, 11, 10)).toBe("full");
    expect(await add(store, 4, 10, 10)).toBe("ok");
  },

  async "subtracts even if the sum is above a ceiling that is lower now"({ store }) {
    await add(store, 1, 10);
    expect(await add(store, 2, -1, 5)).toBe("ok");
  },

  async "adds without a limit when there is no ceiling"({ store }) {
    await add(store, 1, 1e9);
    expect(await add(store, 2, 1e9)).toBe("ok");
  },
};

/** Adds in a separate change; `n` distinguishes it from the case's other ones. */
async function add(store: StateStore, n: number, by: number, ceiling?: number): Promise<string> {
  const key = keyIn(HERE, `addition-${n}`);
  const addition = ceiling === undefined ? { counter: SUM, by } : { counter: SUM, by, ceiling };
  const { outcome } = await store.commit(HERE, {
    op: `add ${n}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: n }],
    add: [addition],
  });
  return outcome;
}
