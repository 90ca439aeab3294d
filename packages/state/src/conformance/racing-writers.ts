import { expect } from "vitest";
import type { StateStore } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, entriesOf, HERE, LOG, valuesOf } from "./samples.ts";

const WRITERS = 8;
const ROUNDS = 20;
const MOST_TRIES = 10 * WRITERS * ROUNDS;

export const racingWriterChecks: Checks = {
  async "ends with the exact sum of many writers who read, decide and commit"({ store }) {
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => countUp(store, writer)));
    expect(await valuesOf(store, A)).toEqual([WRITERS * ROUNDS]);
    const entries = await entriesOf(store, LOG);
    expect(entries).toEqual(Array.from({ length: WRITERS * ROUNDS }, (_, n) => n + 1));
  },

  async "lets exactly one of many creators win"({ store }) {
    const creations = Array.from({ length: WRITERS }, (_, n) =>
      store.commit(HERE, { op: `creator ${n}`, guards: [{ key: A, version: 0 }], put: [{ key: A, value: n }] }),
    );
    const outcomes = (await Promise.all(creations)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "stale")).toHaveLength(WRITERS - 1);
  },
};

/** Adds one to the count, `ROUNDS` times. If another writer was faster, the function reads and decides again. Every second change is sent twice. */
async function countUp(store: StateStore, writer: number): Promise<void> {
  let tries = 0;
  for (let round = 0; round < ROUNDS;) {
    // On a broken store, every writer may lose for ever. The case must fail then.
    if (++tries > MOST_TRIES) throw new Error(`Writer ${writer} has lost ${tries} races.`);
    const document = (await store.read([A])).documents[0];
    const count = (typeof document?.value === "number" ? document.value : 0) + 1;
    const change = {
      op: `${writer}.${round} to ${count}`,
      guards: [{ key: A, version: document?.version ?? 0 }],
      put: [{ key: A, value: count }],
      append: [{ log: LOG, entries: [count] }],
    };
    const { outcome } = await store.commit(HERE, change);
    if (round % 2 === 0) await store.commit(HERE, change);
    if (outcome === "ok") round++;
  }
}
