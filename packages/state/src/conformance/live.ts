import { expect } from "vitest";
import { MAX_VALUE_BYTES } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { following } from "./following.ts";
import { entriesOf, HERE, keyIn, LOG } from "./samples.ts";

export const liveChecks: Checks = {
  async "delivers a live batch to followers at once, and to readers for a while"({ store, advance }) {
    await following(store, async (next) => {
      const first = next();
      await store.live(LOG, { text: "one" });
      await store.live(LOG, { text: "two" });
      expect(await first).toEqual({ kind: "live", log: LOG, batch: { text: "one" } });
    });
    expect(await store.recent(LOG)).toEqual([{ text: "one" }, { text: "two" }]);
    await advance(10 * 60_000);
    expect(await store.recent(LOG)).toEqual([]);
  },

  async "keeps live batches separate from the log and from each other's log"({ store }) {
    await store.live(LOG, 1);
    expect(await entriesOf(store, LOG)).toEqual([]);
    expect(await store.recent(keyIn(HERE, "other"))).toEqual([]);
  },

  async "keeps only the last of very many batches"({ store }) {
    for (let n = 0; n < 2000; n++) await store.live(LOG, n);
    const recent = await store.recent(LOG);
    expect(recent.at(-1)).toBe(1999);
    expect(recent.length).toBeLessThan(2000);
  },

  async "confirms a log's batches, in the order of the question"({ store }) {
    for (const text of ["one", "two", "three"]) await store.live(LOG, { text, more: [1, "é"] });
    const asked = ["three", "one"].map((text) => ({ text, more: [1, "é"] }));
    expect(await store.genuine(LOG, asked)).toEqual(asked);
    expect(await store.genuine(LOG, [])).toEqual([]);
  },

  async "does not confirm a batch that was not given to this log"({ store }) {
    await store.live(LOG, { text: "one" });
    await store.live(keyIn(HERE, "other"), { text: "two" });
    const asked = [{ text: "two" }, { text: "one" }, { text: "three" }, { text: "one", more: 1 }, "one", null];
    expect(await store.genuine(LOG, asked)).toEqual([{ text: "one" }]);
    expect(await store.genuine(keyIn(HERE, "silent"), asked)).toEqual([]);
  },

  async "refuses a batch that is too large"({ store }) {
    await expect(store.live(LOG, "x".repeat(MAX_VALUE_BYTES))).rejects.toThrow(RangeError);
  },
};
