import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Json, keys } from "@toolbus/contracts";
import { chainFault } from "@toolbus/grants";
import { connectState, memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { chainUnderTest, namesByShard } from "../testing/chain-under-test.ts";

const SHARDS = ["00", "03", "0a"];
const TENANTS = ["acme", "other", null];

describe.each(["memory", "sqlite"] as const)("the chains of the audit on %s", (kind) => {
  it("have each record of every shard once, in the order of its log, in the chain of its tenant", async () => {
    await using t = await setup(kind);
    await t.fill(20);
    await t.copyAll(SHARDS);
    await t.expectWhole();
    expect((await t.chain("acme"))[0]).toMatchObject({ n: 1, previous: null, tenant: "acme", attested: true });
  });

  it("have each record once if the process is killed before or after any commit", async () => {
    // A copy of 12 records needs few commits. The kill moves through them until a copy ends without one.
    for (const reply of ["never sent", "lost"] as const)
      for (let at = 1, killed = true; killed; at++) {
        await using t = await setup(kind);
        await t.fill(12);
        killed = await t.copyAll(SHARDS, t.chainer(killedAt(t.store, at, reply))).then(
          () => false,
          () => true,
        );
        await t.copyAll(SHARDS);
        await t.expectWhole();
        expect(at).toBeLessThan(40);
      }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("do not fork if several chainers copy the same shards at once (seed %i)", async (seed) => {
    await using t = await setup(kind);
    const random = numbersFrom(seed);
    await t.fill(30);
    const racing = Array.from({ length: 3 }, () => t.chainer(delayed(t.store, random)));
    // Each copy begins with another shard. So the copies also race for the end of a chain in commits about different shards.
    const results = await Promise.all(racing.map((copy, n) => countedSteps(copy, [...SHARDS.slice(n), ...SHARDS.slice(0, n)])));
    await t.expectWhole();
    expect(results.some(({ stale }) => stale > 0)).toBe(true);
  });

  it("keep a record that somebody put into the store, but do not vouch for it", async () => {
    await using t = await setup(kind);
    await t.append("03", { event: "approved", tenant: "acme", name: "genuine" });
    await t.forge("03", { event: "approved", tenant: "acme", name: "forged", by: "amy" });
    const [genuine] = await t.store.range(keys.audit("03"), { after: 0, limit: 1 });
    await t.forge("0a", genuine?.value ?? null);
    await t.copyAll(SHARDS);
    expect((await t.chain("acme")).map(({ attested, record }) => [record["name"], attested])).toEqual([
      ["genuine", true],
      ["forged", false],
      ["genuine", false],
    ]);
    expect(await t.faults("acme")).toEqual([]);
  });

  it("find the records of an approval, each with the first checkpoint after it", async () => {
    await using t = await setup(kind);
    const approvalId = "ap_rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0";
    await t.append("03", { event: "held", tenant: "acme", approvalId });
    await t.fill(9);
    await t.append("03", { event: "approved", tenant: "acme", approvalId });
    await t.copyAll(SHARDS);
    const parts = await t.reader.partsOf(approvalId, "acme");
    const events = parts.flatMap(({ records }) => records.filter(({ record }) => record["approvalId"] === approvalId));
    expect(events.map(({ record }) => record["event"])).toEqual(["held", "approved"]);
    for (const { records, checkpoint } of parts) {
      expect(chainFault(records)).toBeNull();
      expect(records.at(-1)).toMatchObject({ n: checkpoint.n, hash: checkpoint.hash });
    }
  });
});

describe("a store that lost records of the audit after they were chained", () => {
  it.each([
    ["shorter", ["a", "d"], 2],
    ["as long as before", ["a", "d", "e"], 3],
    ["longer", ["a", "d", "e", "f"], 4],
    ["empty", [], 0],
  ])("keeps them in the chain, copies the later ones after them and notes the loss, with a log that is %s", async (_, names, has) => {
    await using t = await setup("memory");
    for (const name of ["a", "b", "c"]) await t.append("03", { event: "held", tenant: "acme", name });
    await t.copyAll(SHARDS);
    await using restored = await setup("memory");
    for (const name of names) await restored.append("03", { event: "held", tenant: "acme", name });
    // The log of one shard went back to its first record, and later records took the places of lost ones.
    const store: StateStore = {
      ...t.store,
      range: (log, options) => (log === keys.audit("03") ? restored.store : t.store).range(log, options),
    };
    const chainer = t.chainer(store);
    await t.copyAll(SHARDS, chainer);
    await t.copyAll(SHARDS, chainer);
    expect((await t.chain("acme")).map(({ record }) => record["name"])).toEqual(["a", "b", "c", ...names.slice(1)]);
    expect((await t.chain(null)).map(({ record }) => record)).toMatchObject([{ event: "records_lost", shard: "03", had: 3, has }]);
    expect(await t.faults("acme")).toEqual([]);
  });
});

describe("a store whose position in a log somebody removed", () => {
  it("chains no record again, copies the later ones and notes the missing position", async () => {
    await using t = await setup("memory");
    for (const name of ["a", "b"]) await t.append("03", { event: "held", tenant: "acme", name });
    await t.append("0a", { event: "held", tenant: "acme", name: "of another shard" });
    await t.copyAll(SHARDS);
    const key = keys.auditPosition("03");
    const { documents } = await t.store.read([key]);
    await t.store.commit("00", { op: "remove", guards: [{ key, version: documents[0]?.version ?? 0 }], remove: [key] });
    await t.append("03", { event: "held", tenant: "acme", name: "c" });
    await t.copyAll(SHARDS);
    await t.copyAll(SHARDS);
    expect((await t.chain("acme")).map(({ record }) => record["name"])).toEqual(["a", "b", "of another shard", "c"]);
    expect((await t.chain(null)).map(({ record }) => record)).toMatchObject([{ event: "position_lost", shard: "03", has: 3 }]);
    expect(await t.faults("acme")).toEqual([]);
  });
});

async function setup(kind: "memory" | "sqlite") {
  const folder = kind === "sqlite" ? await mkdtemp(path.join(os.tmpdir(), "chain-")) : null;
  const clock = (): number => 1_800_000_000_000;
  const store = folder === null ? memoryStore({ clock }) : await connectState(`sqlite:${path.join(folder, "state.db")}`, { clock });
  const chains = chainUnderTest(store);
  const expected = new Map<string | null, Record<string, string[]>>();
  let forged = 0;
  return {
    ...chains,
    store,
    /** Adds this many records to the logs of the shards, for each tenant in turn. */
    async fill(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        const shard = SHARDS[n % SHARDS.length] ?? "00";
        const tenant = TENANTS[Math.floor(n / 2) % TENANTS.length] ?? null;
        await chains.append(shard, { event: "held", name: `record ${n}`, ...(tenant === null ? {} : { tenant }) });
        const logs = expected.get(tenant) ?? {};
        expected.set(tenant, logs);
        (logs[shard] ??= []).push(`record ${n}`);
      }
    },
    async expectWhole(): Promise<void> {
      for (const [tenant, logs] of expected) {
        expect(await chains.faults(tenant)).toEqual([]);
        expect(namesByShard(await chains.chain(tenant))).toEqual(logs);
      }
    },
    /** Puts a record into a log without the seal of approvals. */
    async forge(shard: string, record: Json): Promise<void> {
      const key = keys.rate("approvals", shard, `forged-${++forged}`);
      const append = [{ log: keys.audit(shard), entries: [record] }];
      await store.commit(shard, { op: `forge:${forged}`, guards: [{ key, version: 0 }], put: [{ key, value: {} }], append });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      if (folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the store of a process that is killed at its n-th commit, before the store has it or before the process has the reply. */
function killedAt(store: StateStore, at: number, reply: "never sent" | "lost"): StateStore {
  let commits = 0;
  return {
    ...store,
    async commit(shard, change) {
      if (++commits < at) return store.commit(shard, change);
      if (commits === at && reply === "lost") await store.commit(shard, change);
      throw new Error("The process was killed.");
    },
  };
}

/** Returns a store whose answers arrive in another order than they were asked for. */
function delayed(store: StateStore, random: (below: number) => number): StateStore {
  const turns = async (): Promise<void> => {
    for (let left = random(6); left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    ...store,
    async read(names) {
      const reply = await store.read(names);
      await turns();
      return reply;
    },
    async commit(shard, change) {
      await turns();
      return store.commit(shard, change);
    },
  };
}

async function countedSteps(
  copy: { step(shard: string): Promise<string> },
  shards: readonly string[],
): Promise<{ readonly stale: number }> {
  let stale = 0;
  for (const shard of shards)
    for (let step = ""; step !== "done";) {
      step = await copy.step(shard);
      if (step === "stale") stale++;
    }
  return { stale };
}

/** Returns a generator of repeatable numbers (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
