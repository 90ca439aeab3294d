import { keys, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { openRunsOf, runsUnderWay } from "./runs-under-way.ts";

const NOW = 1_750_000_000_000;
const UNA: Principal = { id: "una", tenant: "acme", roles: ["user"], scopes: [], keyId: "test" };
const INDEX = openRunsOf(UNA);

describe("simultaneous starts of one principal", () => {
  it("share a look at its places, which removes each ended run once", async () => {
    await using t = await setup({ ended: 30 });
    const started = await t.start(10);
    expect(started).toBe(10);
    expect(t.pages()).toBe(1);
    expect(t.reads()).toHaveLength(30);
    expect(new Set(t.reads()).size).toBe(30);
    expect((await t.store.page(INDEX, { limit: 100 })).members).toHaveLength(10);
  });

  it("share the next look too, a second later", async () => {
    await using t = await setup({ ended: 0 });
    expect(await t.start(5)).toBe(5);
    t.clock.now += 1000;
    expect(await t.start(5)).toBe(5);
    expect(t.pages()).toBe(2);
  });

  it("look again if the shared look left no room, and are refused beyond the maximum", async () => {
    await using t = await setup({ ended: 0, active: 38 });
    expect(await t.start(5)).toBe(2);
    expect(t.pages()).toBe(5);
  });

  it("look again after a look that failed", async () => {
    await using t = await setup({ ended: 0, fails: 1 });
    await expect(t.start(1)).rejects.toThrow("The store is away.");
    expect(await t.start(2)).toBe(2);
  });
});

/** Makes an index of 40 places with runs that no agent took in time, and with runs that were accepted now. */
async function setup({ ended, active = 0, fails = 0 }: { readonly ended: number; readonly active?: number; readonly fails?: number }) {
  const store = memoryStore({ clock: () => NOW });
  const state = counted(store, fails);
  const clock = { now: 0 };
  let last = 0;
  const newId = (): string => `rn_00_${String(++last).padStart(26, "0")}`;
  const add = async (runId: string, score: number): Promise<void> => {
    const guards = [{ key: keys.inbox(shardOf(runId), runId), version: 0 }];
    await store.commit(shardOf(runId), { op: `add:${runId}`, guards, index: [{ index: INDEX, member: runId, score }] });
  };
  for (let n = 0; n < ended; n++) await add(newId(), NOW - 2000);
  for (let n = 0; n < active; n++) await add(newId(), NOW);
  const underWay = runsUnderWay({ state, monotonic: () => clock.now, config: { RUNS_PER_PRINCIPAL: 40, ORIGIN_OPEN_MS: 1000 } });
  return {
    store,
    clock,
    pages: () => state.pages,
    reads: () => state.reads,
    /** Starts this many runs in one turn of the event loop, and returns how many were started. */
    async start(count: number): Promise<number> {
      const answers = Array.from({ length: count }, () => {
        const runId = newId();
        return underWay.within(UNA, runId, async () => {
          await add(runId, NOW);
          return "started";
        });
      });
      return (await Promise.all(answers)).filter((answer) => answer === "started").length;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function counted(store: StateStore, fails: number) {
  const seen = {
    pages: 0,
    reads: [] as string[],
    commit: store.commit,
    page: ((...about) => {
      seen.pages++;
      if (seen.pages <= fails) return Promise.reject(new Error("The store is away."));
      return store.page(...about);
    }) as StateStore["page"],
    read: ((names) => {
      seen.reads.push(...names);
      return store.read(names);
    }) as StateStore["read"],
  };
  return seen;
}
