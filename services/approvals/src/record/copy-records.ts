import {
  type ChainedRecord,
  type ChainedRecords,
  type ChainPosition,
  describeProblems,
  isJsonObject,
  type Json,
  keys,
  type Parsed,
  parseChainedRecords,
  parseChainHead,
  parseChainPosition,
  tenantOfChain,
} from "@toolbus/contracts";
import { signCheckpoint, type Signer } from "@toolbus/grants";
import { commitRepeatedly, type LogEntry } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { ReadDocument, SealedStore } from "../sealed/sealed-store.ts";
import { approvalIn, CHAIN_SHARD, chainBatch, type Copied, copied, recordHash, type Seen } from "./chain-batch.ts";

/** The documents of the chain are not what approvals stored last, so no record is chained until an operator has looked. */
export class ChainRefused extends Error {
  override readonly name = "ChainRefused";
}

export interface CopyRecordsOptions {
  readonly sealed: SealedStore;
  readonly signer: Signer;
  readonly newId: () => string;
  readonly log: Pick<Log, "error">;
  /** How many records one commit copies. */
  readonly atOnce?: number | undefined;
}

/** The outcome of one step: more records wait, none is left, or another chainer was faster. */
export type Step = "more" | "done" | "stale";

/** Copies records of the logs of the shards into the chains. */
export interface CopyRecords {
  /** Copies the next records of this shard in one commit. Throws `ChainRefused`, and `StoreUnavailable` if the store does not answer. */
  step(shard: string): Promise<Step>;
}

export function copyRecords({ sealed, signer, newId, log, atOnce = AT_ONCE }: CopyRecordsOptions): CopyRecords {
  const { store: state } = sealed;
  return {
    async step(shard) {
      const name = keys.audit(shard);
      const { now, documents } = await sealed.read([keys.auditPosition(shard)]);
      const position = seen(documents[0], parseChainPosition);
      const at = position.value && position.value.sequence > 0 ? position.value : null;
      // The record at the position is read again, because a log that has another record there has lost some.
      const found = await state.range(name, at ? { after: at.sequence - 1, limit: atOnce + 1 } : { after: 0, limit: atOnce });
      if (at && !(found[0] && isAt(found[0], at, name))) return lost(shard, now, position);
      const fresh = at ? found.slice(1) : found;
      if (fresh.length === 0) return "done";
      const records = fresh.map((entry) => copied(shard, entry, sealed.openRecord(name, entry.value)));
      const end = fresh.at(-1);
      const lastHash = records.at(-1)?.hash;
      if (!end || lastHash === undefined) return "done";
      return commit({ shard, now, position, records, upTo: { sequence: end.sequence, hash: lastHash } });
    },
  };

  function isAt({ sequence, value }: LogEntry, position: ChainPosition, name: string): boolean {
    return sequence === position.sequence && recordHash(sealed.openRecord(name, value).record) === position.hash;
  }

  async function commit(copy: {
    readonly shard: string;
    readonly now: number;
    readonly position: Seen<ChainPosition>;
    readonly records: readonly Copied[];
    readonly upTo: ChainPosition;
  }): Promise<Step> {
    const { records } = copy;
    const tenants = [...new Set(records.map(({ tenant }) => tenant))];
    const approvals = [...new Set(records.flatMap(({ content }) => approvalIn(content) ?? []))];
    const { documents } = await sealed.read([...tenants.map((one) => keys.auditHead(one)), ...approvals.map((id) => keys.auditOf(id))]);
    const heads = new Map(tenants.map((tenant, n) => [tenant, seen(documents[n], parseChainHead)] as const));
    for (const [tenant, { value }] of heads) if (!value && (await isAppended(tenant))) return "stale";
    const places = new Map(approvals.map((id, n) => [id, placesIn(documents[tenants.length + n])] as const));
    const change = await chainBatch(
      { ...copy, heads, places },
      { nonce: newId(), sign: (checkpoint) => signCheckpoint(checkpoint, signer) },
    );
    const reply = await commitRepeatedly(state, CHAIN_SHARD, change);
    if (reply.outcome !== "ok") return "stale";
    return records.length < atOnce ? "done" : "more";
  }

  /**
   * Returns whether another chainer began this chain after its end was read as absent. Throws if the chain has records and no end, because a second
   * first record would fork it.
   */
  async function isAppended(tenant: string | null): Promise<boolean> {
    if ((await state.range(keys.auditChain(tenant), { after: 0, limit: 1 })).length === 0) return false;
    const { documents } = await state.read([keys.auditHead(tenant)]);
    if (documents[0]) return true;
    throw new ChainRefused(`The document ${keys.auditHead(tenant)} is missing, but its chain has records.`);
  }

  /**
   * Continues after the log of a shard lost records that were chained. The chains keep them. The records that the log has now and no chain has are
   * copied, and the chain without a tenant notes the loss. The chains are read as a whole, which is slow, but a store rarely loses records.
   */
  async function lost(shard: string, now: number, position: Seen<ChainPosition>): Promise<Step> {
    const name = keys.audit(shard);
    const known = await chainedHashesOf(shard);
    const records: Copied[] = [];
    let end: ChainPosition = { sequence: 0, hash: "" };
    for (let more = true; more && records.length < atOnce;) {
      const entries = await state.range(name, { after: end.sequence, limit: PAGE });
      more = entries.length === PAGE;
      for (const entry of entries) {
        const one = copied(shard, entry, sealed.openRecord(name, entry.value));
        end = { sequence: entry.sequence, hash: one.hash };
        if (!known.has(one.hash) && records.push(one) === atOnce) break;
      }
    }
    log.error({ shard, had: position.value?.sequence, has: end.sequence }, "the store lost records of the audit that were chained before");
    const note = { event: "records_lost", by: "store", at: now, shard, had: position.value?.sequence ?? 0, has: end.sequence };
    const noted: Copied = { tenant: null, content: { source: { shard, sequence: 0 }, attested: true, record: note }, hash: end.hash };
    return (await commit({ shard, now, position, records: [...records, noted], upTo: end })) === "stale" ? "stale" : "more";
  }

  /** Returns the hashes of all records of this shard that some chain has. */
  async function chainedHashesOf(shard: string): Promise<ReadonlySet<string>> {
    const hashes = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await state.page(keys.auditChains(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { member } of page.members)
        for (let after = 0; ;) {
          const entries = await state.range(keys.auditChain(tenantOfChain(member)), { after, limit: PAGE });
          for (const { value, sequence } of entries) {
            after = sequence;
            const { source, record } = value as unknown as ChainedRecord;
            if (source.shard === shard) hashes.add(recordHash(record));
          }
          if (entries.length < PAGE) break;
        }
      cursor = page.cursor;
    } while (cursor !== undefined);
    return hashes;
  }
}

const AT_ONCE = 50;
const PAGE = 200;

function seen<T>(document: ReadDocument | undefined, parse: (value: unknown) => Parsed<T>): Seen<T> {
  if (!document || document.opened.kind === "absent") return { version: 0, value: null };
  const { key, opened } = document;
  if (opened.kind === "refused") throw new ChainRefused(`The document ${key} is not what approvals stored last: ${opened.detail}.`);
  const parsed = parse(opened.value);
  if (!parsed.ok) throw new ChainRefused(`The document ${key} is damaged: ${describeProblems(parsed.problems)}.`);
  return { version: opened.version, value: parsed.value };
}

/** Returns the places of an approval's records. The document only saves a search, so a damaged one is replaced. */
function placesIn(document: ReadDocument | undefined): Seen<ChainedRecords> {
  const version = document?.stored?.version ?? 0;
  const parsed = parseChainedRecords(withoutSeal(document?.stored?.value));
  return { version, value: parsed.ok ? parsed.value : null };
}

function withoutSeal(value: Json | undefined): Json {
  return isJsonObject(value) ? value : {};
}
