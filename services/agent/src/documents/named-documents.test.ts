import { keys, parseRun, shardOf } from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { loadSnapshot } from "./load.ts";
import { keepWritten } from "./named-documents.ts";
import { asks, bundle, RUN } from "../testing/test-bundle.ts";

describe("what a run names", () => {
  it("is requested together with the run, once it is known", async () => {
    const { store, reads } = await withCalls();
    await loadSnapshot(store, RUN);
    expect(await reads(() => loadSnapshot(store, RUN))).toEqual([3]);
  });

  it("is requested again when it has changed, so that a snapshot never holds another round's calls", async () => {
    const { b, store, reads } = await withCalls();
    await loadSnapshot(store, RUN);
    await b.answer(0);
    await b.turn([asks("look", "c1"), asks("look", "c2")]);
    const found = await loadSnapshot(store, RUN);
    expect(found).toEqual(await b.snapshot());
    expect(found?.calls).toHaveLength(2);
    expect(await reads(() => loadSnapshot(store, RUN))).toEqual([4]);
  });

  it("is known to its writer without a read", async () => {
    const { b, store, reads } = await withCalls();
    await loadSnapshot(store, RUN);
    const { run } = await b.snapshot();
    const next = { ...run.value, calls: [] };
    const change: Change = {
      op: "x",
      guards: [{ key: keys.run(RUN), version: run.version }],
      put: [{ key: keys.run(RUN), value: json(next) }],
    };
    await store.commit(shardOf(RUN), change);
    keepWritten(store, RUN, change);
    expect(await reads(() => loadSnapshot(store, RUN))).toEqual([2]);
  });
});

/** Returns a run with one open call, and a store that nobody has read before. */
async function withCalls() {
  const b = bundle();
  await b.start();
  await b.turn([asks("look", "c0")]);
  let sizes: number[] = [];
  const store: StateStore = {
    ...b.state,
    read(wanted) {
      sizes.push(wanted.length);
      return b.state.read(wanted);
    },
  };
  return {
    b,
    store,
    /** Returns the number of documents that each read within `work` requested. */
    async reads(work: () => Promise<unknown>) {
      sizes = [];
      await work();
      return sizes;
    },
  };
}

function json(value: object) {
  const run = parseRun(JSON.parse(JSON.stringify(value)));
  if (!run.ok) throw new Error("This is no run.");
  return JSON.parse(JSON.stringify(run.value));
}
