import type { Json } from "@toolbus/contracts";

/**
 * The state store is the system's source of truth. It has five small ports behind one connection: documents, claims, logs, indexes, blobs.
 *
 * Every adapter guarantees the following, and `describeStateStore` proves it:
 * - `commit` makes all of one change, in one shard, or none of it. A change that was answered "ok" survives the death of this process, except in the
 *   memory adapter.
 * - A change is idempotent by its `op`. A repeat after a lost reply does nothing. The store answers it "ok" with the first commit number, as long as
 *   no later change had the same document as its guard. After such a change, the store answers "stale".
 * - Time is the store's own (`now`, milliseconds since 1970). No caller's clock decides whether a deadline has passed.
 * - The store does not know what a key means.
 *
 * Errors: `StoreUnavailable` if the store cannot be reached or answers too late. The change may have happened, so repeat it with the same `op`.
 * `TypeError` or `RangeError` for a malformed change (no guard, another shard's key, a value over 64 KiB).
 */
export interface StateStore extends Documents, Claims, Logs, Indexes, Blobs {
  /** How many shards this store has. The number is fixed at the store's first start. */
  readonly shards: number;
  /**
   * Every owner of a lease from before this time is dead (0 if nothing is known). A store with an exclusive lock sets it to the time when it was
   * opened. The owner of an older lease held that lock, and this process holds it now.
   */
  readonly ownersDeadBefore: number;
  /**
   * Resolves if every shard would accept a change now. To find out, it makes a change that has no effect. Rejects as a commit would. Rejects with the
   * fault "damaged" if a shard's own records are not as the store wrote them. It fixes the records that it can fix, and reports each as a loss.
   */
  probe(): Promise<void>;
  /** Waits for pending operations, then releases the connection and the lock. Safe to use twice. */
  close(): Promise<void>;
}

export interface Documents {
  /** Reads documents, with `null` for missing ones. All documents of one shard are read at the same moment. */
  read(keys: readonly string[]): Promise<ReadReply>;
  commit(shard: string, change: Change): Promise<CommitReply>;
  /**
   * Returns the last commit of a shard. While it stays the same, every commit of the shard is the same, even if the store lost commits in between. So
   * a reader can use again what it has read.
   */
  head(shard: string): Promise<HeadReply>;
  /**
   * Reads again, of documents in one shard, only those that have changed. `known` has the version of each as the caller read it, or 0 if it was absent. `since`
   * is a head of the shard from before that read. All are compared at the same moment. A version after `since` counts as changed, because a store that
   * loses commits uses its number again.
   */
  changed(shard: string, since: Seen, known: readonly Guard[]): Promise<ChangedReply>;
}

export interface ChangedReply {
  readonly now: number;
  /** The documents that have changed, by key, with null for absent ones. It is null if the store cannot say that it still has the commit `since`: read everything. */
  readonly changed: ReadonlyMap<string, StoredDocument | null> | null;
}

export interface HeadReply {
  readonly now: number;
  /** Null if the shard has no commit, or if the store does not know the mark of the last one. */
  readonly last: Seen | null;
}

export interface StoredDocument {
  /** The number of the commit that wrote it. The number never repeats for a key, not even after a removal. */
  readonly version: number;
  readonly value: Json;
}

export interface ReadReply {
  readonly now: number;
  /** The documents in the order of the keys. */
  readonly documents: readonly (StoredDocument | null)[];
}

/** A key and the version that it must still have. Version 0 means that the key must not exist. */
export interface Guard {
  readonly key: string;
  readonly version: number;
}

export interface Change {
  /** Names this change. A repeat after a lost reply has the same name. */
  readonly op: string;
  /**
   * A change has at least one guard. The first document remembers the last `op`, so choose a document that this change puts or that exists. If the
   * first guard is an absent document that the change does not put, the change may contain only timers, removals and index entries, which are
   * idempotent by nature. A removed document remembers the op for ten minutes.
   * Two changes that both leave their first document unchanged do not notice each other. A change that must not happen twice puts its first document,
   * or guards the absence of a document that it puts.
   */
  readonly guards: readonly Guard[];
  /**
   * A commit of this shard that the caller has seen, with its mark. If the store does not have this commit, it refuses the change as "stale", with
   * `rolledBack`. If an adapter's store can lose acknowledged commits, the adapter itself presents the last commit that it has seen.
   */
  readonly seen?: Seen;
  /** The store refuses the change as "late" if its own clock is past this time. */
  readonly notAfter?: number;
  /** A document with `expiresAt` reads as absent from that time on, and is removed some time later. */
  readonly put?: readonly { readonly key: string; readonly value: Json; readonly expiresAt?: number }[];
  readonly remove?: readonly string[];
  /**
   * Entries receive consecutive sequence numbers from 1, per log. `expiresAt` applies to the whole log, and a later value replaces an earlier one. An
   * expired log reads as empty and starts again.
   */
  readonly append?: readonly { readonly log: string; readonly entries: readonly Json[]; readonly expiresAt?: number }[];
  /** Timers of services. A timer becomes due `dueIn` milliseconds from now, and replaces an existing one with the same id. Null removes the timer. */
  readonly timers?: readonly { readonly service: string; readonly id: string; readonly dueIn: number | null }[];
  /**
   * Messages to publish, each due `dueIn` milliseconds from now. Until then, the process that committed publishes and settles the message. After
   * that, the relay does.
   */
  readonly outbox?: readonly {
    readonly service: string;
    readonly id: string;
    readonly topic: string;
    readonly message: Json;
    readonly dueIn: number;
  }[];
  /** Members of a sorted index. A null score removes the member. */
  readonly index?: readonly { readonly index: string; readonly member: string; readonly score: number | null }[];
}

/** A commit, as its reply named it. */
export interface Seen {
  readonly commit: number;
  readonly mark: string;
}

/**
 * "stale": a guard does not hold. This is not an error: read again and decide again. "late": the time is past `notAfter`. In both cases nothing
 * happened. `commit` is the shard's last commit number. For "ok" it is the number of this change. For a repeat it is the number that the change
 * received the first time.
 */
export interface CommitReply {
  readonly outcome: "ok" | "stale" | "late";
  readonly now: number;
  readonly commit: number;
  /**
   * Distinguishes this commit from another commit with the same number. It is absent if the shard has no commit, or if the store has forgotten the
   * mark.
   */
  readonly mark?: string;
  /** The store has lost acknowledged commits: the commit that was presented as `seen` is missing, or is a different one. */
  readonly rolledBack?: true;
}

export interface Claims {
  /**
   * Claims due rows of a service, oldest first, over all shards. Each claimed row is due again `visibleAfter` milliseconds from now and is not
   * removed. Two claimers never receive the same row for the same due time.
   */
  claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  /**
   * Invokes the listener whenever a commit of this process makes a row of the service due, with the milliseconds until then. Returns a function that ends
   * this. Absent if nobody notices the commits of this process. A reader of rows must then look often.
   */
  readonly onRows?: (service: string, kind: RowKind, listener: (dueIn: number) => void) => () => void;
  /** Removes outbox rows that the broker has confirmed. Missing rows are not an error. */
  settle(service: string, rows: readonly { readonly shard: string; readonly id: string }[]): Promise<void>;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly visibleAfter: number;
  /** Called if no row is due, with the milliseconds until the next one is, or with Infinity if there is none. */
  readonly onNext?: (dueIn: number) => void;
}

export type RowKind = "timer" | "outbox";

export interface TimerRow {
  readonly shard: string;
  readonly id: string;
  /** When the row was due, before this claim. */
  readonly due: number;
}

export interface OutboxRow extends TimerRow {
  readonly topic: string;
  readonly message: Json;
}

export interface Logs {
  /** Returns the entries after a sequence number, in order. */
  range(log: string, options: { readonly after: number; readonly limit: number }): Promise<readonly LogEntry[]>;
  /**
   * Adds a short-lived batch. Followers receive it at once, and `recent` returns it for a while. Batches are capped, are never synced to disk, and
   * may be lost.
   */
  live(log: string, batch: Json): Promise<void>;
  /** Returns the live batches of a log that are still kept, oldest first. */
  recent(log: string): Promise<readonly Json[]>;
  /**
   * Returns those of the given batches that the log itself has, in the given order. All writers share the feed, so what the feed says about a log is
   * only a hint. Only a writer with the right to this log can put a batch into the log. Two batches are the same if their JSON is the same.
   */
  genuine(log: string, batches: readonly Json[]): Promise<readonly Json[]>;
  /**
   * Yields every append and live batch in all shards, from the moment when the first `next()` is pending. An append is a hint to read (`sequence` is
   * the last of the log). A live item contains the batch, which `genuine` confirms. For a slow reader, the store may skip items. It then yields `{
   * kind: "gap" }`, and the reader must read its logs again. The iteration ends when the signal aborts or the store closes.
   */
  follow(options: { readonly signal: AbortSignal }): AsyncIterable<FeedItem>;
}

export interface LogEntry {
  readonly sequence: number;
  readonly value: Json;
}

export type FeedItem =
  | { readonly kind: "append"; readonly log: string; readonly sequence: number }
  | { readonly kind: "live"; readonly log: string; readonly batch: Json }
  | { readonly kind: "gap" };

export interface Indexes {
  /** Returns a page of an index over all shards, by (score, member). `cursor` is from the previous page, and is absent for the first page. */
  page(index: string, options: { readonly cursor?: string; readonly limit: number; readonly order?: "asc" | "desc" }): Promise<Page>;
}

export interface Page {
  readonly members: readonly { readonly member: string; readonly score: number }[];
  /** The cursor is absent on the last page. */
  readonly cursor?: string;
}

export interface Blobs {
  /** Stores bytes under their SHA-256 (`sha256-<hex>`). Storing the same bytes again makes no second blob. */
  putBlob(bytes: Uint8Array): Promise<string>;
  /** Returns the bytes, verified against the hash, or null if they do not exist. */
  getBlob(hash: string): Promise<Uint8Array | null>;
}

/** The largest document, log entry, live batch or outbox message, in bytes of JSON. A larger value must be stored as a blob. */
export const MAX_VALUE_BYTES = 64 * 1024;

/**
 * Why a store that answers accepts no changes: its memory or disk is full, too few replicas have its data, it is a replica, or its records are
 * damaged.
 */
export type StoreFault = "memory" | "disk" | "replicas" | "read-only" | "damaged";

/** The store cannot be reached, did not answer in time, or accepts no changes now. The requested change may have happened. */
export class StoreUnavailable extends Error {
  readonly code = "store_unavailable";
  override readonly name = "StoreUnavailable";
  /** The reason, set if the store answers but accepts no changes. */
  readonly fault: StoreFault | undefined;

  constructor(message: string, { fault, ...options }: ErrorOptions & { readonly fault?: StoreFault | undefined } = {}) {
    super(message, options);
    this.fault = fault;
  }
}

/**
 * The store cannot be used as it is: another process has locked it, it has another version, it is damaged, or it is not ours. The message says what
 * to do.
 */
export class StoreRefused extends Error {
  readonly code = "store_refused";
  override readonly name = "StoreRefused";
}
