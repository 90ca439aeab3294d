import {
  type ChainedRecord,
  type ChainedRecords,
  type ChainHead,
  chainName,
  type ChainPosition,
  type CheckpointView,
  HOME_SHARD,
  isApprovalId,
  isJsonObject,
  type Json,
  type JsonObject,
  keys,
} from "@toolbus/contracts";
import { chained, contentHash, type Unchained } from "@toolbus/grants";
import type { Change, LogEntry } from "@toolbus/state";
import { wellFormed } from "./well-formed.ts";

/** A document as it was read, or version 0 and null if it does not exist. */
export interface Seen<T> {
  readonly version: number;
  readonly value: T | null;
}

/** One record of a shard's log, in the form in which it is chained. */
export interface Copied {
  readonly tenant: string | null;
  readonly content: Unchained;
  /** The hash of the record, by which the chainer notices that a log has other records than before. */
  readonly hash: string;
}

/** The records to copy in one commit, with the documents on which the commit is based. */
export interface Batch {
  readonly shard: string;
  readonly now: number;
  readonly position: Seen<ChainPosition>;
  readonly records: readonly Copied[];
  /** The last sequence number that the commit covers, and the hash of its record. */
  readonly upTo: ChainPosition;
  /** The ends of the chains of these records, by the tenant. */
  readonly heads: ReadonlyMap<string | null, Seen<ChainHead>>;
  /** The places of the approvals of these records, by the approval's id. */
  readonly places: ReadonlyMap<string, Seen<ChainedRecords>>;
}

/** Returns a record of a shard's log as it is chained. `opened` is the record without its seal. */
export function copied(
  shard: string,
  { sequence }: Pick<LogEntry, "sequence">,
  opened: { readonly attested: boolean; readonly record: Json },
): Copied {
  const record = fitting(opened.record);
  const { tenant } = record;
  return {
    tenant: typeof tenant === "string" && tenant !== "" && tenant.length <= MOST_TENANT ? tenant : null,
    content: { source: { shard, sequence }, attested: opened.attested, record },
    hash: recordHash(opened.record),
  };
}

/** Returns the hash of a record without its seal, so that a new seal key does not change it. */
export function recordHash(record: Json): string {
  return contentHash(JSON.stringify(record));
}

/** Returns the approval that a record belongs to, or null. */
export function approvalIn({ record }: Pick<Unchained, "record">): string | null {
  const { approvalId } = record;
  return typeof approvalId === "string" && isApprovalId(approvalId) ? approvalId : null;
}

/**
 * Returns the one commit that copies these records: the records at the ends of their chains, the new ends, a checkpoint of each, and the position in
 * the log of the shard. The guards of the position and of the ends let only one of two chainers commit, and the position lets a record be copied only
 * once. So no record is lost or duplicated if the process dies before or after the commit.
 */
export async function chainBatch(
  batch: Batch,
  { nonce, sign }: { readonly nonce: string; readonly sign: (checkpoint: Omit<CheckpointView, "signed">) => Promise<CheckpointView> },
): Promise<Change> {
  const { shard, now, position, records, upTo, heads, places } = batch;
  const appended = new Map<string | null, ChainedRecord[]>();
  const numbers = new Map<string, number[]>();
  for (const { tenant, content } of records) {
    const head = heads.get(tenant);
    const chain = appended.get(tenant) ?? [];
    appended.set(tenant, chain);
    const end = chain.at(-1) ?? head?.value ?? null;
    const record = chained(end, content, { tenant, at: Math.max(now, end?.at ?? 0) });
    chain.push(record);
    const approval = approvalIn(content);
    if (approval !== null && places.has(approval)) numbers.set(approval, [...(numbers.get(approval) ?? []), record.n]);
  }
  const ends = [...appended].flatMap(([tenant, chain]) => {
    const last = chain.at(-1);
    return last ? [{ tenant, last, head: heads.get(tenant) }] : [];
  });
  const checkpoints = await Promise.all(ends.map(({ tenant, last: { n, hash, at } }) => sign({ tenant, n, hash, at })));
  return {
    op: `chain:${shard}:${upTo.sequence}:${nonce}`,
    guards: [
      { key: keys.auditPosition(shard), version: position.version },
      ...ends.map(({ tenant, head }) => ({ key: keys.auditHead(tenant), version: head?.version ?? 0 })),
      ...[...numbers.keys()].map((id) => ({ key: keys.auditOf(id), version: places.get(id)?.version ?? 0 })),
    ],
    put: [
      { key: keys.auditPosition(shard), value: upTo },
      ...ends.map(({ tenant, last: { n, hash, at } }) => ({ key: keys.auditHead(tenant), value: { n, hash, at } })),
      ...[...numbers].map(([id, more]) => ({
        key: keys.auditOf(id),
        value: { numbers: [...(places.get(id)?.value?.numbers ?? []), ...more].slice(-MOST_PLACES) },
      })),
    ],
    append: [
      ...[...appended].map(([tenant, chain]) => ({ log: keys.auditChain(tenant), entries: chain as unknown as readonly Json[] })),
      ...checkpoints.map((checkpoint) => ({ log: keys.auditCheckpoints(checkpoint.tenant), entries: [{ ...checkpoint }] })),
    ],
    index: ends.flatMap(({ tenant, head }) => (head?.value ? [] : [{ index: keys.auditChains(), member: chainName(tenant), score: 0 }])),
  };
}

/** All chains are in this shard. */
export const CHAIN_SHARD = HOME_SHARD;

const MOST_TENANT = 200;
const MOST_PLACES = 1000;
// A chained record has some fields more than the record, and a value of the store has at most 64 KiB.
const MOST_RECORD_BYTES = 56 * 1024;

/** Returns the record in a form that every verifier can hash. Approvals itself writes no record that has to change for that. */
function fitting(record: Json): JsonObject {
  const text = JSON.stringify(record);
  if (!isJsonObject(record)) return { event: "unreadable", hash: contentHash(text) };
  if (Buffer.byteLength(text) > MOST_RECORD_BYTES) return { event: "too_large", hash: contentHash(text) };
  return text.includes("\\ud") ? (wellFormed(record) as JsonObject) : record;
}
