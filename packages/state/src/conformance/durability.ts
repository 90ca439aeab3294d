import { expect } from "vitest";
import type { StateStore } from "../state-store.ts";
import type { Checks, OpenedStore } from "./case.ts";
import { A, B, claimedIds, create, entriesOf, HERE, keyIn, LOG, message, timer, valuesOf } from "./samples.ts";

export const durabilityChecks: Checks = {
  async "has everything that was committed when it is opened again"(opened) {
    const { store } = opened;
    const change = {
      append: [{ log: LOG, entries: ["one"] }],
      timers: [timer("t", 0)],
      outbox: [message("m")],
      index: [{ index: "i", member: "x", score: 1 }],
    };
    await create(store, A, 1, change);
    const hash = await store.putBlob(Buffer.from("bytes"));
    const again = await reopened(opened);
    expect(await valuesOf(again, A)).toEqual([1]);
    expect(await entriesOf(again, LOG)).toEqual(["one"]);
    expect(await claimedIds(again, "timer")).toEqual(["t"]);
    expect(await claimedIds(again, "outbox")).toEqual(["m"]);
    expect((await again.page("i", { limit: 10 })).members).toEqual([{ member: "x", score: 1 }]);
    expect(Buffer.from((await again.getBlob(hash)) ?? []).toString()).toBe("bytes");
  },

  async "continues with its commit and sequence numbers and its remembered ops"(opened) {
    await create(opened.store, keyIn(HERE, "before"), 1);
    const version = await create(opened.store, A, 1, { append: [{ log: LOG, entries: ["one"] }] });
    const again = await reopened(opened);
    expect(await create(again, A, 1, { append: [{ log: LOG, entries: ["one"] }] })).toBe(version);
    expect(await create(again, B, 1, { append: [{ log: LOG, entries: ["two"] }] })).toBe(version + 1);
    expect(await entriesOf(again, LOG)).toEqual(["one", "two"]);
  },
};

async function reopened({ reopen }: OpenedStore): Promise<StateStore> {
  if (!reopen) throw new Error("A store whose features say that it is durable needs `reopen`.");
  return reopen();
}
