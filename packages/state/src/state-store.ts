import type { Json } from "@toolbus/contracts";

/**
 * The state store: the truth of the system. Five small ports behind one connection: documents, claims, logs, indexes, blobs.
 *
 * Guarantees of every adapter, proved by `describeStateStore`:
 * - `commit` moves everything of one change, in one shard, together or not at all. Answered "ok" it survives the death of this process
 *   (the memory adapter excepted).
 * - A change is idempotent by its `op`: repeated after a lost reply it answers "ok" with the first commit number and does nothing again,
 *   as long as no later change was guarded by the same document; after that it answers "stale".
 * - Time is the store's own (`now`, milliseconds since 1970): no deadline is judged by a caller's clock.
 * - Nothing here knows what a key means.
 *
 * Errors: `StoreUnavailable` when the store cannot be reached or answers too late: the change may or may not have happened, repeat it with
 * the same `op`. `TypeError` or `RangeError` for a change that is malformed (no guard, another shard's key, a value over 64 KiB).
 */
export interface StateStore extends Documents, Claims, Logs, Indexes, Blobs {
  /** How many shards this store has; fixed at its first start. */
  readonly shards: number;
  /**
   * Every owner of a lease taken before this time is dead (0 if nothing is known). A store with an exclusive lock sets it to the time it was opened: the
   * owner of a lease held the lock, and the lock is ours now.
   */
  readonly ownersDeadBefore: number;
  /**
   * Resolves if a change would be accepted now, in every shard: it makes one that changes nothing. Rejects as a commit would, and with the fault "damaged"
   * if a shard's own records were not as the store wrote them; what it can fix it fixes, and reports as a loss.
   */
  probe(): Promise<void>;
  /** Waits for pending operations, then releases the connection and the lock. Safe to use twice. */
  close(): Promise<void>;
}

export interface Documents {
  /** Reads documents, `null` for missing ones. Those of one shard are read at one moment. */
  read(keys: readonly string[]): Promise<ReadReply>;
  commit(shard: string, change: Change): Promise<CommitReply>;
}

export interface StoredDocument {
  /** The number of the commit that wrote it: never repeats for a key, not even after removal. */
  readonly version: number;
  readonly value: Json;
}

export interface ReadReply {
  readonly now: number;
  /** In the order of the keys. */
  readonly documents: readonly (StoredDocument | null)[];
}

/** A key and the version that it must still have; 0: it must not exist. */
export interface Guard {
  readonly key: string;
  readonly version: number;
}

export interface Change {
  /** Names this change; a repeat after a lost reply has the same name. */
  readonly op: string;
  /**
   * At least one. The first document keeps the last `op`, so it should be one that this change puts or that exists; a change whose first guard is an absent
   * document that it does not put may contain only timers, removals and index entries (they are idempotent by nature). A removed document keeps the op for
   * ten minutes. Two changes that both leave their first document unchanged do not see each other: a change that must not happen twice puts its first
   * document, or guards the absence of one that it puts.
   */
  readonly guards: readonly Guard[];
  /**
   * A commit of this shard that was seen, with its mark: a store that does not have it refuses the change as "stale", with `rolledBack`. An adapter whose
   * store can lose acknowledged commits presents the last one by itself.
   */
  readonly seen?: Seen;
  /** The store refuses the change as "late" if its own clock is past this. */
  readonly notAfter?: number;
  /** A document with `expiresAt` reads as absent from then on and is removed some time later. */
  readonly put?: readonly { readonly key: string; readonly value: Json; readonly expiresAt?: number }[];
  readonly remove?: readonly string[];
  /**
   * Entries get consecutive sequence numbers from 1, per log. `expiresAt` applies to the whole log: the last value given holds; an expired log reads as
   * empty and starts again.
   */
  readonly append?: readonly { readonly log: string; readonly entries: readonly Json[]; readonly expiresAt?: number }[];
  /** A timer of a service: set to `dueIn` milliseconds from now, replaced if it exists, removed with null. */
  readonly timers?: readonly { readonly service: string; readonly id: string; readonly dueIn: number | null }[];
  /** Messages to publish. Due `dueIn` from now: until then the committer publishes and settles, later the relay does. */
  readonly outbox?: readonly {
    readonly service: string;
    readonly id: string;
    readonly topic: string;
    readonly message: Json;
    readonly dueIn: number;
  }[];
  /** Members of a sorted index; null removes. */
  readonly index?: readonly { readonly index: string; readonly member: string; readonly score: number | null }[];
}

/** A commit as its reply named it. */
export interface Seen {
  readonly commit: number;
  readonly mark: string;
}

/**
 * "stale": a guard does not hold, so read again and decide again; not an error. "late": past `notAfter`. In both cases nothing happened. `commit` is the
 * shard's commit number: for "ok" that of the change (for a repeat, that of the first time).
 */
export interface CommitReply {
  readonly outcome: "ok" | "stale" | "late";
  readonly now: number;
  readonly commit: number;
  /** Distinguishes this commit from another one with its number; absent if there is none yet, or the store has forgotten it. */
  readonly mark?: string;
  /** The store has lost acknowledged commits: the one that was presented as `seen` is missing, or is a different one. */
  readonly rolledBack?: true;
}

export interface Claims {
  /**
   * Takes due rows of a service, oldest first, over all shards, and makes each due again `visibleAfter` milliseconds from now: re-armed, never popped. Two
   * claimers never get the same row for the same due time.
   */
  claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  /** Removes outbox rows that the broker has confirmed. Missing rows are not an error. */
  settle(service: string, rows: readonly { readonly shard: string; readonly id: string }[]): Promise<void>;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly visibleAfter: number;
}

export interface TimerRow {
  readonly shard: string;
  readonly id: string;
  /** When it was due, before this claim. */
  readonly due: number;
}

export interface OutboxRow extends TimerRow {
  readonly topic: string;
  readonly message: Json;
}

export interface Logs {
  /** Entries after a sequence number, in order. */
  range(log: string, options: { readonly after: number; readonly limit: number }): Promise<readonly LogEntry[]>;
  /** Adds a short-lived batch that followers get at once and that `recent` returns for a while; capped, never synced to disk, may be lost. */
  live(log: string, batch: Json): Promise<void>;
  /** The live batches of a log that are still kept, oldest first. */
  recent(log: string): Promise<readonly Json[]>;
  /**
   * Those of these batches that the log itself has, in the given order. All writers share the feed: what it says about a log is a hint, and only somebody
   * with the right to write the log can have put a batch into it. Two batches are the same if their JSON is.
   */
  genuine(log: string, batches: readonly Json[]): Promise<readonly Json[]>;
  /**
   * Every append and live batch from the moment the first `next()` is pending, in all shards: for appends a hint to read (`sequence` is the log's last),
   * for live the batch, which `genuine` confirms. It may skip items if the reader is slow: then it yields `{ kind: "gap" }` and the reader reads its logs
   * again. Ends when the signal aborts or the store closes.
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
  /** A page of an index over all shards, by (score, member); `cursor` comes from the previous page, and is absent for the first. */
  page(index: string, options: { readonly cursor?: string; readonly limit: number; readonly order?: "asc" | "desc" }): Promise<Page>;
}

export interface Page {
  readonly members: readonly { readonly member: string; readonly score: number }[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface Blobs {
  /** Stores bytes under their SHA-256 (`sha256-<hex>`); storing the same bytes again is the same blob. */
  putBlob(bytes: Uint8Array): Promise<string>;
  /** The bytes, verified against the hash; null if there are none. */
  getBlob(hash: string): Promise<Uint8Array | null>;
}

/** The largest document, log entry, live batch or outbox message, in bytes of JSON; a larger one goes to a blob. */
export const MAX_VALUE_BYTES = 64 * 1024;

/**
 * Why a store that answers accepts no changes: its memory or its disk is full, too few replicas have its data, it is a copy, or its records are damaged.
 */
export type StoreFault = "memory" | "disk" | "replicas" | "read-only" | "damaged";

/** The store cannot be reached, did not answer in time, or accepts no changes now. The requested change may have happened. */
export class StoreUnavailable extends Error {
  readonly code = "store_unavailable";
  override readonly name = "StoreUnavailable";
  /** Set if it answers and accepts no changes. */
  readonly fault: StoreFault | undefined;

  constructor(message: string, { fault, ...options }: ErrorOptions & { readonly fault?: StoreFault | undefined } = {}) {
    super(message, options);
    this.fault = fault;
  }
}

/** The store cannot be used as it is: locked by another process, of another version, damaged, not ours. The message says what to do. */
export class StoreRefused extends Error {
  readonly code = "store_refused";
  override readonly name = "StoreRefused";
}
