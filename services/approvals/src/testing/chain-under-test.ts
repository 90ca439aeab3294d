import { type ChainedRecord, type JsonObject, keys } from "@toolbus/contracts";
import { chainFault, verifyCheckpoint } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { copyRecords, type CopyRecords } from "../record/copy-records.ts";
import { chainReader } from "../record/chain-reader.ts";
import { sealedUnderTest } from "./approvals-under-test.ts";
import { own } from "./writes-under-test.ts";

/** A store with records in its audit logs, and chainers that copy them. */
export function chainUnderTest(store: StateStore) {
  const { sealed } = sealedUnderTest(store);
  let ids = 0;
  const self = {
    sealed,
    reader: chainReader({ sealed }),
    /** Adds a record as a transition does, sealed and in one commit with a document. */
    async append(shard: string, record: JsonObject): Promise<void> {
      const key = keys.rate("approvals", shard, `made-${++ids}`);
      await sealed.store.commit(shard, {
        op: `append:${ids}`,
        guards: [{ key, version: 0 }],
        put: [{ key, value: { ids } }],
        append: [{ log: keys.audit(shard), entries: [record] }],
      });
    },
    /** Returns a chainer of another process. `through` is the store as that process sees it. */
    chainer(through: StateStore = store, atOnce = 3): CopyRecords {
      const { signer } = own.identityOf("approvals");
      const newId = (): string => `id-${++ids}`;
      return copyRecords({ sealed: sealedUnderTest(through).sealed, signer, newId, log: silentLog, atOnce });
    },
    /** Copies everything that the logs of these shards have. */
    async copyAll(shards: readonly string[], copy: CopyRecords = self.chainer()): Promise<void> {
      for (const shard of shards) while ((await copy.step(shard)) !== "done");
    },
    async chain(tenant: string | null): Promise<readonly ChainedRecord[]> {
      const found = await store.range(keys.auditChain(tenant), { after: 0, limit: 10_000 });
      return found.map(({ value }) => value as unknown as ChainedRecord);
    },
    /** Returns what is wrong with a chain: its links, its last checkpoint, and the order of what was copied from each shard. */
    async faults(tenant: string | null): Promise<readonly string[]> {
      const chain = await self.chain(tenant);
      const links = chainFault(chain, null);
      const { found } = await self.reader.checkpoints({ tenant, order: "desc", limit: 1 });
      const [last] = found;
      const verdict = last && (await verifyCheckpoint(last, own.trusted.of("approvals")));
      const end = chain.at(-1);
      return [
        ...(links === null ? [] : [links]),
        ...(verdict && verdict.kind !== "genuine" ? [verdict.detail] : []),
        ...(last?.n === end?.n && last?.hash === end?.hash ? [] : ["the last checkpoint is not that of the last record"]),
      ];
    },
  };
  return self;
}

/** Returns the names of the records of a chain, as the tests gave them, for each shard in the order of the chain. */
export function namesByShard(chain: readonly ChainedRecord[]): Readonly<Record<string, readonly unknown[]>> {
  const names: Record<string, unknown[]> = {};
  for (const { source, record } of chain) (names[source.shard] ??= []).push(record["name"]);
  return names;
}
