import { type ApprovalsKeys, approvalsSettings, startApprovalsCore } from "@toolbus/approvals";
import { memoryBus } from "@toolbus/bus";
import { type ChainedRecord, type CheckpointView, type JsonObject, keys, parseEra } from "@toolbus/contracts";
import {
  chainFault,
  generateSealKey,
  generateSigningKey,
  ownKeys,
  publicKeySet,
  sealKeysOf,
  staticKeySet,
  verifyCheckpoint,
} from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { openStore, redisSpace } from "./redis-space.ts";

const RAISES = 12;

describeOnServer("redis", "the chain of the audit on Redis", (server) => {
  const space = redisSpace(server);

  it("has each record once, in one chain, although both of two replicas copy and one is killed", async () => {
    const url = space.urlOf("chain");
    await using one = await openStore(url);
    await using two = await openStore(url);
    await using three = await openStore(url);
    const t = await setup();
    // The first replica has the lease. It is killed at its first commit of the chain. The store has this commit, but the replica never receives the
    // reply.
    const killed = { now: false };
    const dying: StateStore = {
      ...one.store,
      async commit(shard, change) {
        if (killed.now) return new Promise<never>(() => undefined);
        const reply = await one.store.commit(shard, change);
        if (change.op.startsWith("chain:")) {
          killed.now = true;
          return new Promise<never>(() => undefined);
        }
        return reply;
      },
    };
    const first = await t.start(dying);
    // On a busy machine the second replica could take the lease first.
    await expect.poll(() => t.hasLease(three.store), { timeout: 10_000, interval: 5 }).toBe(true);
    const second = await t.start(two.store);
    for (let raise = 1; raise <= RAISES; raise++) {
      await t.raise(second, three.store);
      if (raise === RAISES / 3) await expect.poll(() => killed.now, { timeout: 10_000, interval: 5 }).toBe(true);
      // The lease of the killed replica ends by the store's clock. The test removes the lease so that it does not have to wait.
      if (killed.now) await t.dropLease(three.store);
    }
    await expect.poll(async () => (await t.chain(three.store)).length, { timeout: 30_000, interval: 20 }).toBe(RAISES);
    const records = await t.chain(three.store);
    const logged = await three.store.range(keys.audit("00"), { after: 0, limit: 1000 });
    expect(records.map(({ record }) => record["era"])).toEqual(logged.map(({ value }) => (value as JsonObject)["era"]));
    expect(chainFault(records, null)).toBeNull();
    const [last] = (await three.store.range(keys.auditCheckpoints(null), { after: 0, limit: 1000 })).slice(-1);
    const checkpoint = last?.value as unknown as CheckpointView;
    expect(checkpoint).toMatchObject({ n: records.length, hash: records.at(-1)?.hash });
    expect(await verifyCheckpoint(checkpoint, t.verifying)).toMatchObject({ kind: "genuine" });
    await second.stop();
    // The killed replica cannot be stopped in an orderly way. It holds nothing but its store.
    void first;
  });
});

async function setup() {
  const signing = await generateSigningKey();
  const verifying = staticKeySet(publicKeySet([signing]));
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const own: ApprovalsKeys = { signing: [signing], verifying, seals: sealKeysOf({ keys: [generateSealKey(random)] }) };
  const services = await ownKeys(["gateway", "agent", "approvals"]);
  const config = readSettings(approvalsSettings, { POLL_MS: "5" });
  return {
    verifying,
    start: (state: StateStore) =>
      startApprovalsCore(
        {
          bus: memoryBus(),
          state,
          log: silentLog,
          identity: services.identityOf("approvals"),
          trusted: services.trusted,
          embedded: false,
          random,
          monotonic: () => performance.now(),
          clock: Date.now,
        },
        config,
        own,
      ),
    /** Raises the era, which adds a record to the audit. */
    async raise({ routes }: Awaited<ReturnType<typeof startApprovalsCore>>, state: StateStore): Promise<void> {
      const { documents } = await state.read([keys.era()]);
      const known = parseEra(documents[0]?.value);
      const era = known.ok ? known.value.era : 1;
      const route = routes.find(({ method, url }) => method === "POST" && url === "/v1/era/raise");
      if (!route) throw new Error("Approvals has no route that raises the era.");
      const request = { body: { era, reason: `raise ${era}` }, headers: {}, url: "/v1/era/raise", params: {}, query: {} };
      const reply = { header: () => reply, code: () => reply };
      const principal = { id: "otto", tenant: "acme", roles: ["operator"], scopes: [], keyId: "key" };
      await route.handle(request as never, reply as never, principal as never);
    },
    async hasLease(state: StateStore): Promise<boolean> {
      return (await state.read([keys.auditLease()])).documents[0] !== null;
    },
    async dropLease(state: StateStore): Promise<void> {
      const { documents } = await state.read([keys.auditLease()]);
      const [lease] = documents;
      if (!lease) return;
      const guards = [{ key: keys.auditLease(), version: lease.version }];
      await state.commit("00", { op: `drop:${lease.version}`, guards, remove: [keys.auditLease()] });
    },
    async chain(state: StateStore): Promise<readonly ChainedRecord[]> {
      const found = await state.range(keys.auditChain(null), { after: 0, limit: 1000 });
      return found.map(({ value }) => value as unknown as ChainedRecord);
    },
  };
}
