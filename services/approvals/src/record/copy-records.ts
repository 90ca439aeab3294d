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
      if (at && !(found[0] && isAt(found[0], at, name))) return copyUnknown(shard, now, position, await chainedHashesOf(shard));
      const fresh = at ? found.slice(1) : found;
      if (fresh.length === 0) return "done";
      // Somebody may have removed the position. Then the chains already have records of this shard, which must not be chained again.
      const known = position.value === null ? await chainedHashesOf(shard) : new Set<string>();
      if (known.size > 0) return copyUnknown(shard, now, position, known);
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
   * Continues after the log of a shard lost records that were chained, or after somebody removed the position. The chains keep what they have. The
   * records that the log has now and no chain has are copied, and the chain without a tenant notes the loss.
   */
  async function copyUnknown(shard: string, now: number, position: Seen<ChainPosition>, known: ReadonlySet<string>): Promise<Step> {
    const name = keys.audit(shard);
    const had = position.value?.sequence;
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
    const note =
      had === undefined
        ? { event: "position_lost", by: "store", at: now, shard, has: end.sequence }
        : { event: "records_lost", by: "store", at: now, shard, had, has: end.sequence };
    const noted: Copied = { tenant: null, content: { source: { shard, sequence: 0 }, attested: true, record: note }, hash: end.hash };
    if ((await commit({ shard, now, position, records: [...records, noted], upTo: end })) === "stale") return "stale";
    if (had === undefined) log.error({ shard, has: end.sequence }, "the position of a log that was chained before is missing");
    else log.error({ shard, had, has: end.sequence }, "the store lost records of the audit that were chained before");
    return "more";
  }

  /**
   * Returns the hashes of all records of this shard that some chain has. It reads the chains as a whole, which is slow. So it runs only for the first
   * records of a shard, and if something was lost.
   */
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
