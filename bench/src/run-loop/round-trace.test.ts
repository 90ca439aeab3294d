import { describe, expect, it } from "vitest";
import { connectState, type StateStore } from "@toolbus/state";
import { roundTracer } from "./round-trace.ts";

const KEY = "tb:run:{00}:one";
const LOG = "tb:transcript:{00}:one";

async function setup() {
  const tracer = roundTracer();
  const store = await connectState("memory:", { clock: () => 0 });
  return { tracer, store: tracer.watch(store) };
}

const write = (store: StateStore, op: string, entry: string) =>
  store.commit("00", { op, guards: [{ key: KEY, version: 0 }], append: [{ log: LOG, entries: [entry] }], put: [{ key: KEY, value: op }] });

describe("the trace of a run", () => {
  it("names the sequential round trips between two model calls, and counts the written bytes", async () => {
    const { tracer, store } = await setup();
    await store.read([KEY]);
    tracer.begin();
    tracer.asked();
    tracer.answered();
    await store.read([KEY, "tb:call:{00}:one.1"]);
    await write(store, "turn:one:1", "é");
    await store.range(LOG, { after: 0, limit: 1 });
    tracer.asked();
    // This read happens during the model call.
    await store.read([KEY]);
    tracer.answered();
    tracer.asked();
    const [first, second] = tracer.end();
    expect(first?.inSeries).toEqual(["read run, call", "commit turn", "range transcript"]);
    expect(first?.bytes).toBeGreaterThan(100);
    expect(second).toEqual({ inSeries: [], bytes: 0 });
  });

  it("counts simultaneous requests once", async () => {
    const { tracer, store } = await setup();
    tracer.begin();
    tracer.answered();
    await Promise.all([store.read([KEY]), store.range(LOG, { after: 0, limit: 1 }), store.read([KEY])]);
    tracer.asked();
    expect(tracer.end()[0]?.inSeries).toHaveLength(1);
  });
});
