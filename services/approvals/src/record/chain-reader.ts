import {
  type AuditPage,
  type ChainedRecord,
  type CheckpointView,
  type Json,
  keys,
  parseChainedRecord,
  parseChainedRecords,
  parseChainHead,
} from "@toolbus/contracts";
import type { LogEntry } from "@toolbus/state";
import type { SealedStore } from "../sealed/sealed-store.ts";

/** Which records of a chain a page shows. */
export interface Wanted {
  readonly tenant: string | null;
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly event?: string;
  readonly approval?: string;
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** The sequence number in the log after which the page begins, in the page's order. */
  readonly from?: number;
}

export interface Found<T> {
  readonly found: readonly T[];
  /** Where the next page begins, or null after the last page. */
  readonly next: number | null;
}

/** Reads the chains. It shows what the store has, so a record that somebody changed there is shown as it is, and its hash no longer fits. */
export interface ChainReader {
  head(tenant: string | null): Promise<AuditPage["head"]>;
  records(wanted: Wanted): Promise<Found<ChainedRecord>>;
  checkpoints(wanted: Pick<Wanted, "tenant" | "order" | "limit" | "from">): Promise<Found<CheckpointView>>;
  /** Returns the parts of the chain with the records of an approval. Each part ends at the first checkpoint after its record. */
  partsOf(approvalId: string, tenant: string): Promise<readonly ChainPart[]>;
}

export interface ChainPart {
  readonly records: readonly ChainedRecord[];
  readonly checkpoint: CheckpointView;
}

export function chainReader({ sealed }: { readonly sealed: SealedStore }): ChainReader {
  const { store: state } = sealed;
  return {
    async head(tenant) {
      const { documents } = await sealed.read([keys.auditHead(tenant)]);
      const opened = documents[0]?.opened;
      const head = parseChainHead(opened?.kind === "genuine" ? opened.value : null);
      return head.ok ? { n: head.value.n, hash: head.value.hash } : null;
    },
    async records(wanted) {
      const { tenant, approval, since } = wanted;
      const log = keys.auditChain(tenant);
      if (approval !== undefined) return placed(log, approval, wanted);
      // A record is chained after its event, so the records that were chained before `since` need not be read.
      const first = since === undefined ? 0 : (await firstAt(log, ({ at }: ChainedRecord) => at >= since)) - 1;
      return scan(log, { ...wanted, first }, (entry) => matching(recordIn(entry.value), wanted));
    },
    checkpoints: ({ tenant, ...wanted }) =>
      scan(keys.auditCheckpoints(tenant), { ...wanted, first: 0 }, ({ value }) => value as unknown as CheckpointView),
    async partsOf(approvalId, tenant) {
      const log = keys.auditChain(tenant);
      const parts: ChainPart[] = [];
      for (const { sequence, value } of await placesOf(log, approvalId)) {
        const record = recordIn(value);
        const last = parts.at(-1);
        if (!record || (last && record.n <= last.checkpoint.n)) continue;
        const after = (await firstAt(keys.auditCheckpoints(tenant), ({ n }: CheckpointView) => n >= record.n)) - 1;
        const [checkpoint] = await state.range(keys.auditCheckpoints(tenant), { after, limit: 1 });
        if (!checkpoint) continue;
        const until = checkpoint.value as unknown as CheckpointView;
        const entries = await state.range(log, { after: sequence - 1, limit: Math.max(1, until.n - record.n + 1) });
        parts.push({ records: entries.flatMap((entry) => recordIn(entry.value) ?? []), checkpoint: until });
      }
      return parts;
    },
  };

  /** Returns the records of one approval by their stored places, which saves reading the chain. */
  async function placed(log: string, approval: string, wanted: Wanted): Promise<Found<ChainedRecord>> {
    const all = (await placesOf(log, approval)).flatMap(({ value }) => matching(recordIn(value), wanted) ?? []);
    const { limit, from = 0, order } = wanted;
    const found = (order === "asc" ? all : all.toReversed()).slice(from, from + limit);
    return { found, next: from + limit < all.length ? from + limit : null };
  }

  async function placesOf(log: string, approval: string): Promise<readonly LogEntry[]> {
    const { documents } = await state.read([keys.auditOf(approval)]);
    const places = parseChainedRecords(documents[0]?.value);
    const entries: LogEntry[] = [];
    for (const n of places.ok ? places.value.numbers : []) {
      const entry = await numbered(log, n);
      if (entry && recordIn(entry.value)?.record["approvalId"] === approval) entries.push(entry);
    }
    return entries;
  }

  /** Returns the record with this number. It is at this place of the log, unless somebody removed records. */
  async function numbered(log: string, n: number): Promise<LogEntry | null> {
    const hasNumber = (entry: LogEntry | undefined): boolean => (entry ? recordIn(entry.value)?.n === n : false);
    const [there] = await state.range(log, { after: n - 1, limit: 1 });
    if (there && hasNumber(there)) return there;
    const after = (await firstAt(log, (record: ChainedRecord) => record.n >= n)) - 1;
    const [moved] = await state.range(log, { after, limit: 1 });
    return moved && hasNumber(moved) ? moved : null;
  }

  async function scan<T>(
    log: string,
    { order, limit, from, first }: Pick<Wanted, "order" | "limit" | "from"> & { readonly first: number },
    matched: (entry: LogEntry) => T | null,
  ): Promise<Found<T>> {
    const found: T[] = [];
    const end = order === "desc" ? (from ?? (await firstAt(log, () => false))) : 0;
    let at = order === "asc" ? Math.max(first, from ?? 0) : end - 1;
    // A page that matches nothing in many records ends here with a cursor, so that a request has a bounded cost.
    for (let read = 0; read < MOST_READ;) {
      const size = order === "asc" ? PAGE : Math.min(PAGE, at - first);
      if (size <= 0) return { found, next: null };
      const page = await state.range(log, { after: order === "asc" ? at : at - size, limit: size });
      read += page.length;
      for (const entry of order === "asc" ? page : page.toReversed()) {
        at = order === "asc" ? entry.sequence : entry.sequence - 1;
        const one = matched(entry);
        if (one !== null) found.push(one);
        if (found.length === limit) return { found, next: order === "asc" ? at : at + 1 };
      }
      if (page.length < size) return { found, next: null };
    }
    return { found, next: order === "asc" ? at : at + 1 };
  }

  /** Returns the sequence number of the first entry that matches, and one after the last entry if none does. The entries must be in order. */
  async function firstAt<T>(log: string, matches: (value: T) => boolean): Promise<number> {
    const isReached = async (sequence: number): Promise<boolean> => {
      const [entry] = await state.range(log, { after: sequence - 1, limit: 1 });
      return !entry || matches(entry.value as unknown as T);
    };
    let [before, reached] = [0, 1];
    while (!(await isReached(reached))) [before, reached] = [reached, reached * 2];
    while (reached - before > 1) {
      const middle = Math.floor((before + reached) / 2);
      if (await isReached(middle)) reached = middle;
      else before = middle;
    }
    return reached;
  }
}

const PAGE = 200;
const MOST_READ = 5000;

function recordIn(value: Json): ChainedRecord | null {
  const parsed = parseChainedRecord(value);
  return parsed.ok ? parsed.value : null;
}

function matching(chained: ChainedRecord | null, { since, until, tool, event }: Wanted): ChainedRecord | null {
  if (!chained) return null;
  const { at = 0, tool: ofTool, event: name } = chained.record;
  if (typeof at === "number" && ((since !== undefined && at < since) || (until !== undefined && at > until))) return null;
  if (tool !== undefined && ofTool !== tool) return null;
  return event === undefined || name === event ? chained : null;
}
