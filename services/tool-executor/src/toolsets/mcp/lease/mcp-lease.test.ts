import { keys } from "@toolbus/contracts";
import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { type LeaseTimings, takeLease } from "./mcp-lease.ts";
import { type Leased, whileLeased } from "./while-leased.ts";

/** Short times, so that nobody waits long. */
const timings: LeaseTimings = { leaseMs: 400, renewMs: 50, marginMs: 100, standbyMs: 5 };

/** A store and replicas that want the lease. `running` names those that have started what only one may run. */
function setup(times = timings) {
  const store = memoryStore({ clock: () => Date.now() });
  const running: string[] = [];
  /** Every replica that ever started, in order. */
  const started: string[] = [];
  /** The greatest number of replicas that ran at the same time. */
  let most = 0;
  return {
    store,
    running,
    started,
    most: () => most,
    lease: (holder: string, state: StateStore = store) =>
      takeLease({ state, holder, monotonic: () => performance.now(), log: silentLog, timings: times }),
    replica: (holder: string, { state = store as StateStore, start = () => Promise.resolve() } = {}) =>
      whileLeased({
        state,
        holder,
        monotonic: () => performance.now(),
        log: silentLog,
        timings,
        async start(): Promise<Leased> {
          await start();
          running.push(holder);
          started.push(holder);
          most = Math.max(most, running.length);
          const ended = async (): Promise<void> => void running.splice(running.indexOf(holder), 1);
          return { stop: ended, abandon: ended };
        },
      }),
  };
}

function aborted(signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => resolve(), { once: true });
  return signal?.aborted ? Promise.resolve() : promise;
}

/** A store that stops answering when told to. */
function failing(store: StateStore) {
  let down = false;
  const answer = <T>(run: () => Promise<T>): Promise<T> => (down ? Promise.reject(new StoreUnavailable("It does not answer.")) : run());
  const state: StateStore = {
    ...store,
    read: (names) => answer(() => store.read(names)),
    commit: (shard, change) => answer(() => store.commit(shard, change)),
  };
  return { state, fail: () => void (down = true), recover: () => void (down = false) };
}

/** Returns when a stored lease ends. */
const untilOf = (value: unknown): number => (value as { readonly until: number }).until;

describe("the lease of the MCP servers", () => {
  it("is held by one replica, which renews it, until that replica releases it", async () => {
    const { lease, store } = setup();
    const a = await lease("a");
    const until = async () => untilOf((await store.read([keys.mcpLease()])).documents[0]?.value);
    const first = await until();
    await vi.waitFor(async () => expect(await until()).toBeGreaterThan(first + timings.leaseMs));
    expect(await lease("b")).toBeNull();
    expect(a?.lost.aborted).toBe(false);
    await a?.release();
    const b = await lease("b");
    expect(b).not.toBeNull();
    await b?.release();
  });

  it("is taken by one of two replicas that want it at the same moment", async () => {
    const { lease } = setup();
    const taken = (await Promise.all(["a", "b", "c"].map((holder) => lease(holder)))).filter((one) => one !== null);
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
  });

  it("is lost, in the holder's own eyes, before another replica can take it", async () => {
    const { lease, store } = setup({ ...timings, leaseMs: 2000, marginMs: 1500 });
    const { state, fail } = failing(store);
    const a = await lease("a", state);
    fail();
    const { documents } = await store.read([keys.mcpLease()]);
    await aborted(a?.lost);
    expect(await lease("b")).toBeNull();
    expect(Date.now()).toBeLessThan(untilOf(documents[0]?.value));
    const b = await vi.waitUntil(() => lease("b"), 10_000);
    await Promise.all([a?.release(), b.release()]);
  });

  it("is free at once after the death of its holder, if the store knows that the holder is dead", async () => {
    const { lease, store } = setup();
    const a = await lease("a");
    const { now } = await store.read([]);
    const b = await lease("b", { ...store, ownersDeadBefore: now + 1 });
    expect(b).not.toBeNull();
    await vi.waitFor(() => expect(a?.lost.aborted).toBe(true));
    await Promise.all([a?.release(), b?.release()]);
  });
});

describe("what only the replica with the lease runs", () => {
  it("runs on one replica, and on another one when that one stops", async () => {
    const t = setup();
    const replicas = new Map([["a", await t.replica("a")]]);
    for (const name of ["b", "c"]) replicas.set(name, await t.replica(name));
    expect(t.running).toEqual(["a"]);
    await replicas.get("a")?.stop();
    await vi.waitFor(() => expect(t.running).toHaveLength(1));
    expect(t.started).toHaveLength(2);
    await Promise.all([...replicas.values()].map((replica) => replica.stop()));
    expect([t.running, t.most()]).toEqual([[], 1]);
  });

  it("ends on a replica that cannot reach the store any more, and then begins on another one", async () => {
    const t = setup();
    const cut = failing(t.store);
    const a = await t.replica("a", { state: cut.state });
    const b = await t.replica("b");
    cut.fail();
    await vi.waitFor(() => expect(t.running).toEqual(["b"]), 3000);
    expect(t.most()).toBe(1);
    cut.recover();
    await b.stop();
    await vi.waitFor(() => expect(t.running).toEqual(["a"]), 3000);
    await a.stop();
  });

  it("fails at once on the first replica, and is retried by one that stood by", async () => {
    const t = setup();
    const failed = t.replica("a", { start: () => Promise.reject(new Error("No key.")) });
    await expect(failed).rejects.toThrow("No key.");
    const b = await t.replica("b");
    let tries = 0;
    const c = await t.replica("c", { start: () => (++tries < 3 ? Promise.reject(new Error("Not yet.")) : Promise.resolve()) });
    await b.stop();
    await vi.waitFor(() => expect(t.running).toEqual(["c"]), 3000);
    expect(tries).toBe(3);
    await c.stop();
  });
});
