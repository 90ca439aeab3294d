import {
  HOME_SHARD,
  type Json,
  keys,
  parseChainedRecord,
  parseCheckpoint,
  type CheckpointView,
  type ChainedRecord,
  tenantOfChain,
} from "@toolbus/contracts";
import { chained, chainFault, contentHash, type KeySet, signCheckpoint, type Signer, verifyCheckpoint } from "@toolbus/grants";
import type { LogEntry, StateStore } from "@toolbus/state";
import { pagesFromEnd } from "../sealed/log-tail.ts";
import type { ReadDocument, SealedStore } from "../sealed/sealed-store.ts";

export interface ContinueChainOptions {
  readonly sealed: SealedStore;
  readonly signer: Signer;
  /** The public halves of approvals' own keys. */
  readonly ownKeys: KeySet;
}

/**
 * Continues a chain whose end somebody else has overwritten, because an operator asked for it. The forged end decides nothing. The chain continues
 * after its last record if a genuine checkpoint signs this record. The next record says that the chain was broken here, so nobody can hide the break
 * later. Nobody can prove that no record after this checkpoint was removed.
 */
export type ContinueChain = (
  head: ReadDocument,
  moment: { readonly now: number; readonly by: string },
) => Promise<"done" | { readonly reason: string }>;

export function continueChain({ sealed, signer, ownKeys }: ContinueChainOptions): ContinueChain {
  const { store: state } = sealed;
  return async ({ key, stored, opened }, { now, by }) => {
    if (opened.kind !== "refused" || !stored) return "done";
    const tenant = tenantOfHead(key);
    const end = await endOf(tenant);
    if (!end)
      return { reason: "No genuine checkpoint signs the last record of the chain, so approvals does not know where the chain ends." };
    const note = { event: "chain_continued", by, at: now, document: key, why: opened.why, hash: contentHash(JSON.stringify(stored.value)) };
    const content = { source: { shard: HOME_SHARD, sequence: 0 }, attested: true, record: note };
    const record = chained(end.record, content, { tenant, at: Math.max(now, end.record.at) });
    const { n, hash, at } = record;
    const checkpoint = await signCheckpoint({ tenant, n, hash, at }, signer);
    const change = {
      op: `adopt:${stored.version}:${key}`,
      guards: [{ key, version: stored.version }],
      put: [{ key, value: { n, hash, at } }],
      append: [
        { log: keys.auditChain(tenant), entries: [record as unknown as Json] },
        { log: keys.auditCheckpoints(tenant), entries: [{ ...checkpoint }] },
      ],
    };
    const { outcome } = await sealed.commitAbove(HOME_SHARD, change, end.checkpoints + MOST_RESEALS);
    return outcome === "ok" ? "done" : { reason: "It changed after you read it." };
  };

  /** Returns the last record and the number of checkpoints, or null if no genuine checkpoint signs the last record. */
  async function endOf(tenant: string | null): Promise<{ readonly record: ChainedRecord; readonly checkpoints: number } | null> {
    const record = parseChainedRecord((await lastOf(state, keys.auditChain(tenant)))?.value);
    const last = await lastOf(state, keys.auditCheckpoints(tenant));
    const checkpoint = parseCheckpoint(last?.value);
    if (!record.ok || !checkpoint.ok || !last || chainFault([record.value]) !== null) return null;
    const isSigned = await signs(checkpoint.value, record.value, tenant);
    return isSigned ? { record: record.value, checkpoints: last.sequence } : null;
  }

  async function signs(checkpoint: CheckpointView, { n, hash }: ChainedRecord, tenant: string | null): Promise<boolean> {
    if (checkpoint.n !== n || checkpoint.hash !== hash || checkpoint.tenant !== tenant) return false;
    return (await verifyCheckpoint(checkpoint, ownKeys)).kind === "genuine";
  }
}

/** Returns whether a document is the end of a chain. */
export function isHead(key: string): boolean {
  return key.startsWith(HEAD) && keys.auditHead(tenantOfHead(key)) === key;
}

function tenantOfHead(key: string): string | null {
  return tenantOfChain(key.slice(HEAD.length));
}

async function lastOf(state: Pick<StateStore, "range">, log: string): Promise<LogEntry | undefined> {
  for await (const entries of pagesFromEnd(state, log, { page: 1 })) return entries.at(-1);
  return undefined;
}

const HEAD = keys.auditHead(null).replace(/system$/, "");
/**
 * Each copy into a chain adds a checkpoint and raises the revision of the end by one. A rotation of the seal keys raises only the revision. The new
 * end gets a revision above both, because other replicas refuse a revision below the one that they have seen.
 */
const MOST_RESEALS = 1000;
