import path from "node:path";
import { blobHash } from "../blob-hash.ts";
import { type CommitSteps, commitBy, hasSeen, seenOf } from "../commit-steps.ts";
import { SWEEP_EVERY_MS } from "../expiry.ts";
import { createFeed } from "../feed.ts";
import { liveBatches } from "../live-batches.ts";
import { jsonText, prepareChange } from "../prepared-change.ts";
import { shardKeys } from "../shard-keys.ts";
import {
  type ClaimOptions,
  type FeedItem,
  type OutboxRow,
  type StateStore,
  StoreRefused,
  StoreUnavailable,
  type TimerRow,
} from "../state-store.ts";
import { bytesOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type DirectoryLock, lockDirectory, makeDirectory } from "./directory-lock.ts";
import { DATABASE, openDatabase } from "./open-database.ts";
import { sqliteDocuments } from "./sqlite-documents.ts";
import { sqliteDueRows } from "./sqlite-due-rows.ts";
import { sqliteIndexes } from "./sqlite-indexes.ts";
import { sqliteLogs } from "./sqlite-logs.ts";
import { sqliteProbe } from "./sqlite-probe.ts";
import { watchOthers } from "./watch-others.ts";

export interface SqliteStoreOptions {
  /** The directory of `state.db` and `lock.db`. It is created, for this user only, if it does not exist. */
  readonly directory: string;
  /** How many shards a new store has. An existing store refuses any other number than its own. */
  readonly shards?: number;
  /** The store's own time, in milliseconds since 1970. */
  readonly clock?: () => number;
  /**
   * "exclusive" (the default): only this process uses the directory, so every earlier owner of a lease is dead. "none": several processes share the
   * directory. Appends by other processes are noticed within 250 ms. Live batches are visible only in their own process.
   */
  readonly lock?: "exclusive" | "none";
}

/**
 * Opens the embedded store: one SQLite database in WAL mode, synced to disk at every commit. A change that was answered "ok" survives kill -9 and a
 * power cut. A start with the exclusive lock makes every timer and outbox row due at once, because every process that worked on such a row is dead.
 * Live batches are kept in memory.
 *
 * Throws `StoreRefused`, with one sentence that says what to do, if the directory cannot be used as it is.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<StateStore> {
  const { directory, lock = "exclusive", clock = Date.now } = options;
  makeDirectory(directory);
  const held = lock === "exclusive" ? lockDirectory(directory) : null;
  try {
    return await openUnder(options, path.join(directory, DATABASE), clock, held);
  } catch (error) {
    held?.release();
    throw error;
  }
}

async function openUnder(options: SqliteStoreOptions, file: string, clock: () => number, held: DirectoryLock | null): Promise<StateStore> {
  const { connection, shards } = await openDatabase(file, options.shards);
  try {
    if (!held) return storeOn({ connection, file, shards, clock, ownersDeadBefore: 0, shared: true, release: () => {} });
    const now = clock();
    await sqliteDueRows(connection).makeAllDue(now);
    return storeOn({ connection, file, shards, clock, ownersDeadBefore: now, shared: false, release: held.release });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface OpenStore {
  readonly connection: Connection;
  readonly file: string;
  readonly shards: number;
  readonly clock: () => number;
  readonly ownersDeadBefore: number;
  /** Whether other processes may write too. */
  readonly shared: boolean;
  readonly release: () => void;
}

// The number is so small that a sweep delays a commit by a few milliseconds at most.
const SWEEP_ROWS = 200;

function storeOn({ connection, file, shards: count, clock, ownersDeadBefore, shared, release }: OpenStore): StateStore {
  const shards = shardKeys(count);
  const documents = sqliteDocuments(connection);
  const dueRows = sqliteDueRows(connection);
  const logs = sqliteLogs(connection);
  const indexes = sqliteIndexes(connection);
  const live = liveBatches();
  const feed = createFeed();
  const others = shared ? watchOthers(connection, () => feed.publish({ kind: "gap" })) : null;
  const insertBlob = connection.prepare("INSERT INTO blobs (hash, bytes) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING");
  const selectBlob = connection.prepare("SELECT bytes FROM blobs WHERE hash = ?");
  const probe = sqliteProbe(connection);
  let closed = false;
  let sweptAt = clock();

  return {
    shards: shards.count,
    ownersDeadBefore,
    probe: () => probe(),
    async read(keys) {
      for (const key of keys) shards.shardOf(key);
      // One document is one statement, and the time alone is none, so they need no transaction.
      return (keys.length > 1 ? connection.read : connection.look)(() => {
        const now = clock();
        return { now, documents: keys.map((key) => documents.read(key, now)) };
      });
    },
    async commit(shard, change) {
      const prepared = prepareChange(shards, shard, change);
      let appended: FeedItem[] = [];
      const reply = await connection.write(() => {
        // This may be a retry. An earlier attempt found the database busy and changed nothing.
        appended = [];
        return commitBy(stepsNoting(appended), shard, prepared, clock());
      });
      for (const item of appended) feed.publish(item);
      sweepNowAndThen(reply.now);
      return reply;
    },
    async head(shard) {
      shards.check(shard);
      return connection.look(() => ({ now: clock(), last: seenOf(documents.last(shard)) }));
    },
    async changed(shard, since, known) {
      for (const { key } of known) shards.checkIn(shard, key);
      return connection.read(() => {
        const now = clock();
        if (!hasSeen(documents.last(shard), since)) return { now, changed: null };
        const differs = known.filter((one) => !documents.isAt(one, since.commit, now));
        return { now, changed: new Map(differs.map(({ key }) => [key, documents.read(key, now)])) };
      });
    },
    claim,
    settle: (service, rows) => dueRows.settle(service, rows),
    async range(log, options) {
      shards.shardOf(log);
      return connection.look(() => logs.range(log, options, clock()));
    },
    async live(log, batch) {
      checkOpen();
      shards.shardOf(log);
      const text = jsonText(log, batch);
      live.add(log, text, clock());
      feed.publish({ kind: "live", log, batch: JSON.parse(text) });
    },
    async recent(log) {
      checkOpen();
      return live.recent(log, clock());
    },
    async genuine(log, batches) {
      checkOpen();
      shards.shardOf(log);
      return live.among(log, batches);
    },
    follow({ signal }) {
      checkOpen();
      return feed.follow(signal);
    },
    page: (index, options) => connection.look(() => indexes.page(index, options)),
    async putBlob(bytes) {
      const hash = blobHash(bytes);
      await connection.write(() => insertBlob.run(hash, bytes));
      return hash;
    },
    async getBlob(hash) {
      const row = await connection.look(() => selectBlob.get(hash));
      if (!row) return null;
      const bytes = bytesOf(row, "bytes");
      if (blobHash(bytes) !== hash) throw new StoreRefused(`Blob ${hash} in ${file} is damaged: restore the file from a backup.`);
      return bytes;
    },
    async close() {
      closed = true;
      others?.stop();
      feed.close();
      try {
        await connection.close();
      } finally {
        release();
      }
    },
  };

  function checkOpen(): void {
    if (closed) throw new StoreUnavailable("The state store is closed.");
  }

  function stepsNoting(appended: FeedItem[]): CommitSteps {
    return {
      ...documents,
      apply(shard, change, now, commit) {
        documents.apply(shard, change, now, commit);
        dueRows.apply(shard, change, now);
        indexes.apply(shard, change);
        for (const { log, texts, expiresAt } of change.append) {
          appended.push({ kind: "append", log, sequence: logs.append(log, texts, expiresAt, now) });
        }
      },
    };
  }

  function sweepNowAndThen(now: number): void {
    if (now - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now;
    connection
      .write(() => [documents.sweep(now, SWEEP_ROWS), logs.sweep(now, SWEEP_ROWS)].includes(true))
      .then(
        (more) => {
          if (more) sweptAt = Number.NEGATIVE_INFINITY;
        },
        // Nobody awaits the sweep. The next commit reports a problem with the database.
        () => {},
      );
  }

  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  function claim(service: string, kind: "timer" | "outbox", options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    return kind === "timer" ? dueRows.claimTimers(service, clock(), options) : dueRows.claimOutbox(service, clock(), options);
  }
}
