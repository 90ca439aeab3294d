import { describe, expect, it } from "vitest";
import { memoryStore } from "../memory/memory-store.ts";
import type { Change, ClaimOptions, OutboxRow, StateStore, TimerRow } from "../state-store.ts";
import { type ConformanceCase, checkCase, describeStateStore, stateStoreCases } from "./index.ts";

type Commit = StateStore["commit"];

/** Stores with one fault each, and the area of the suite that must find it. */
const broken: readonly { readonly fault: string; readonly area: string; readonly breaks: (store: StateStore) => Partial<StateStore> }[] = [
  {
    fault: "ignores guards",
    area: "guards",
    breaks: (store) => ({ commit: async (shard, change) => store.commit(shard, await withTrueGuards(store, change)) }),
  },
  { fault: "holds only the first guard", area: "guards", breaks: changing((change) => ({ ...change, guards: change.guards.slice(0, 1) })) },
  { fault: "forgets the op", area: "op repeats", breaks: numberedOps },
  { fault: "ignores notAfter", area: "late", breaks: changing(({ notAfter: _, ...change }) => change) },
  { fault: "drops appends", area: "logs", breaks: changing(({ append: _, ...change }) => change) },
  { fault: "commits in two halves", area: "commit", breaks: (store) => ({ commit: inTwoHalves(store) }) },
  { fault: "pops timers on claim", area: "claims", breaks: poppingTimers },
  { fault: "never settles", area: "claims", breaks: () => ({ settle: async () => {} }) },
  { fault: "claims newest first", area: "claims", breaks: claimingBackwards },
  {
    fault: "forgets expiry",
    area: "expiry",
    breaks: changing((change) => ({ ...change, put: change.put?.map(({ key, value }) => ({ key, value })) ?? [] })),
  },
  { fault: "notifies no follower of appends", area: "feed", breaks: silentFeed },
  { fault: "keeps no live batch", area: "live", breaks: () => ({ recent: async () => [] }) },
  { fault: "confirms no live batch", area: "live", breaks: () => ({ genuine: async () => [] }) },
  { fault: "confirms whatever the feed says", area: "live", breaks: () => ({ genuine: async (_log, batches) => batches }) },
  {
    fault: "begins every page at the start",
    area: "index paging",
    breaks: (store) => ({ page: (index, { limit, order = "asc" }) => store.page(index, { limit, order }) }),
  },
  {
    fault: "returns other bytes",
    area: "blobs",
    breaks: (store) => ({ getBlob: async (hash) => (await store.getBlob(hash))?.map((byte) => byte ^ 1) ?? null }),
  },
  {
    fault: "overwrites instead of racing",
    area: "racing writers",
    breaks: (store) => ({ commit: async (shard, change) => store.commit(shard, await withTrueGuards(store, change)) }),
  },
  {
    fault: "takes values of any size",
    area: "limits",
    breaks: (store) => ({ commit: (shard, change) => store.commit(shard, withSmallValues(change)) }),
  },
  {
    fault: "always names the same last commit",
    area: "rollback",
    breaks: () => ({ head: async () => ({ now: 1, last: { commit: 1, mark: "1" } }) }),
  },
  { fault: "ignores what was seen", area: "rollback", breaks: changing(({ seen: _, ...change }) => change) },
];

describe("the conformance suite", () => {
  it.each(broken)("finds a store that $fault, under $area", async ({ area, breaks }) => {
    const found = await failures(
      stateStoreCases.filter((one) => one.area === area),
      breaks,
    );
    expect(found.length).toBeGreaterThan(0);
  });

  it("finds a durable store that forgets everything", async () => {
    const cases = stateStoreCases.filter(({ needs }) => needs === "durable");
    expect(cases.length).toBeGreaterThan(0);
    expect(await failures(cases, () => ({}))).toEqual(cases.map(({ name }) => name));
  });

  it("finds nothing in the reference", async () => {
    expect(
      await failures(
        stateStoreCases.filter(({ needs }) => !needs),
        () => ({}),
      ),
    ).toEqual([]);
  });

  it("says every sentence once", () => {
    const names = stateStoreCases.map(({ area, name }) => `${area}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it("refuses to skip a sentence that it does not contain", () => {
    const open = async (): Promise<never> => Promise.reject(new Error("never opened"));
    const skip = [{ test: "flies", reason: "no wings" }];
    expect(() => describeStateStore("stone", { open, features: { durable: false }, skip })).toThrow('No case "flies" to skip for stone.');
  });
});

/** Returns the names of the cases that fail on a memory store with this fault. The cases run concurrently, because some wait until they time out. */
async function failures(cases: readonly ConformanceCase[], breaks: (store: StateStore) => Partial<StateStore>): Promise<readonly string[]> {
  const kept = await Promise.all(cases.map((one) => isKept(one, breaks)));
  return cases.filter((_, n) => !kept[n]).map(({ name }) => name);
}

async function isKept(one: ConformanceCase, breaks: (store: StateStore) => Partial<StateStore>): Promise<boolean> {
  let now = 1_700_000_000_000;
  const open = (): StateStore => {
    const store = memoryStore({ clock: () => now });
    return { ...store, ...breaks(store) };
  };
  const opened = { store: open(), advance: (ms: number) => void (now += ms), reopen: async () => open() };
  return checkCase(one, async () => opened).then(
    () => true,
    () => false,
  );
}

/** Returns a fault: a store that alters every change before it commits the change. */
function changing(change: (change: Change) => Change): (store: StateStore) => Partial<StateStore> {
  return (store) => ({ commit: (shard, given) => store.commit(shard, change(given)) });
}

async function withTrueGuards(store: StateStore, change: Change): Promise<Change> {
  const { documents } = await store.read(change.guards.map(({ key }) => key));
  return { ...change, guards: change.guards.map(({ key }, n) => ({ key, version: documents[n]?.version ?? 0 })) };
}

function numberedOps(store: StateStore): Partial<StateStore> {
  let count = 0;
  return { commit: (shard, change) => store.commit(shard, { ...change, op: `${change.op} ${count++}` }) };
}

/** A fault: the store writes entries and messages even if the guards do not hold. */
function inTwoHalves(store: StateStore): Commit {
  return async (shard, { append = [], outbox = [], ...change }) => {
    const [guard] = change.guards;
    const key = `tb:half:{${shard}}:${change.op}`;
    if (guard) await store.commit(shard, { op: change.op, guards: [{ key, version: 0 }], put: [{ key, value: 1 }], append, outbox });
    return store.commit(shard, change);
  };
}

function poppingTimers(store: StateStore): Partial<StateStore> {
  return { claim: claimingBy(store, (options) => ({ ...options, visibleAfter: 1e12 })) };
}

function claimingBackwards(store: StateStore): Partial<StateStore> {
  return {
    claim: claimingBy(
      store,
      (options) => options,
      (rows) => rows.toReversed(),
    ),
  };
}

/** A fault: the store claims with changed options, or returns changed rows. */
function claimingBy(
  store: StateStore,
  change: (options: ClaimOptions) => ClaimOptions,
  give: <T>(rows: readonly T[]) => readonly T[] = (rows) => rows,
): StateStore["claim"] {
  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  async function claim(service: string, kind: "timer" | "outbox", options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    return kind === "timer"
      ? give(await store.claim(service, kind, change(options)))
      : give(await store.claim(service, kind, change(options)));
  }
  return claim;
}

function silentFeed(store: StateStore): Partial<StateStore> {
  return {
    async *follow(options) {
      for await (const item of store.follow(options)) if (item.kind !== "append") yield item;
    },
  };
}

function withSmallValues(change: Change): Change {
  return {
    ...change,
    put: change.put?.map((entry) => ({ ...entry, value: typeof entry.value === "string" ? entry.value.slice(0, 100) : entry.value })) ?? [],
  };
}
