import { DEFAULT_SHARDS, type Json } from "@toolbus/contracts";
import { blobHash } from "../blob-hash.ts";
import { type CommitSteps, commitBy, hasSeen, seenOf } from "../commit-steps.ts";
import { SWEEP_EVERY_MS } from "../expiry.ts";
import { createFeed } from "../feed.ts";
import { liveBatches } from "../live-batches.ts";
import { jsonText, type PreparedChange, prepareChange } from "../prepared-change.ts";
import { shardKeys } from "../shard-keys.ts";
import { type ClaimOptions, type OutboxRow, type StateStore, StoreUnavailable, type TimerRow } from "../state-store.ts";
import { memoryDocuments } from "./memory-documents.ts";
import { memoryDueRows } from "./memory-due-rows.ts";
import { memoryIndexes } from "./memory-indexes.ts";
import { memoryLogs } from "./memory-logs.ts";

export interface MemoryStoreOptions {
  /** The store's own time, in milliseconds since 1970. */
  readonly clock: () => number;
  readonly shards?: number;
}

/**
 * Opens the reference adapter. It fulfils the whole contract of the port in the memory of this process, and its data is lost with the process. It is
 * for tests, the simulator and experiments. Every operation happens at once, before its promise is returned.
 */
export function memoryStore(options: MemoryStoreOptions): StateStore {
  const { clock } = options;
  const shards = shardKeys(options.shards ?? DEFAULT_SHARDS);
  const commits = new Map(shards.names.map((shard) => [shard, 0]));
  const documents = memoryDocuments();
  const timers = memoryDueRows<null>();
  const outbox = memoryDueRows<{ readonly topic: string; readonly text: string }>();
  const logs = memoryLogs();
  const indexes = memoryIndexes();
  const live = liveBatches();
  const blobs = new Map<string, Uint8Array>();
  const feed = createFeed();
  const steps: CommitSteps = {
    last: (shard) => commits.get(shard) ?? 0,
    repeated: documents.repeated,
    guarded: documents.guarded,
    apply(shard, change, now, commit) {
      commits.set(shard, commit);
      documents.apply(change, now, commit);
      applyRows(shard, change, now);
    },
  };
  let closed = false;
  let sweptAt = clock();

  return {
    shards: shards.count,
    ownersDeadBefore: 0,
    async probe() {
      begin();
    },
    async read(keys) {
      const now = begin();
      for (const key of keys) shards.shardOf(key);
      return { now, documents: keys.map((key) => documents.read(key, now)) };
    },
    async commit(shard, change) {
      const now = begin();
      const reply = commitBy(steps, shard, prepareChange(shards, shard, change), now);
      if (now - sweptAt >= SWEEP_EVERY_MS) sweep(now);
      return reply;
    },
    async head(shard) {
      const now = begin();
      shards.check(shard);
      return { now, last: seenOf(steps.last(shard)) };
    },
    async changed(shard, since, known) {
      const now = begin();
      for (const { key } of known) shards.checkIn(shard, key);
      if (!hasSeen(steps.last(shard), since)) return { now, changed: null };
      const differs = known.filter((one) => !documents.isAt(one, since.commit, now));
      return { now, changed: new Map(differs.map(({ key }) => [key, documents.read(key, now)])) };
    },
    claim,
    async settle(service, rows) {
      begin();
      for (const { shard, id } of rows) outbox.remove(service, shard, id);
    },
    async range(log, options) {
      const now = begin();
      shards.shardOf(log);
      return logs.range(log, options, now);
    },
    async live(log, batch) {
      const now = begin();
      shards.shardOf(log);
      const text = jsonText(log, batch);
      live.add(log, text, now);
      feed.publish({ kind: "live", log, batch: JSON.parse(text) });
    },
    async recent(log) {
      return live.recent(log, begin());
    },
    async genuine(log, batches) {
      begin();
      shards.shardOf(log);
      return live.among(log, batches);
    },
    follow({ signal }) {
      begin();
      return feed.follow(signal);
    },
    async page(index, options) {
      begin();
      return indexes.page(index, options);
    },
    async putBlob(bytes) {
      begin();
      const hash = blobHash(bytes);
      blobs.set(hash, Uint8Array.from(bytes));
      return hash;
    },
    async getBlob(hash) {
      begin();
      const bytes = blobs.get(hash);
      return bytes ? Uint8Array.from(bytes) : null;
    },
    async close() {
      closed = true;
      feed.close();
    },
  };

  /** Returns the time of this operation. Throws if the store is closed. */
  function begin(): number {
    if (closed) throw new StoreUnavailable("The state store is closed.");
    return clock();
  }

  function applyRows(shard: string, change: PreparedChange, now: number): void {
    for (const { service, id, dueIn } of change.timers) {
      if (dueIn === null) timers.remove(service, shard, id);
      else timers.set(service, shard, id, now + dueIn, null);
    }
    for (const { service, id, topic, text, dueIn } of change.outbox) outbox.set(service, shard, id, now + dueIn, { topic, text });
    for (const { index, member, score } of change.index) indexes.set(index, shard, member, score);
    for (const { log, texts, expiresAt } of change.append) {
      feed.publish({ kind: "append", log, sequence: logs.append(log, texts, expiresAt, now) });
    }
  }

  function sweep(now: number): void {
    sweptAt = now;
    documents.sweep(now);
    logs.sweep(now);
  }

  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  async function claim(service: string, kind: "timer" | "outbox", options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    const now = begin();
    if (kind === "timer") return timers.claim(service, now, options).map(({ shard, id, due }) => ({ shard, id, due }));
    return outbox.claim(service, now, options).map(({ shard, id, due, payload }) => {
      const message: Json = JSON.parse(payload.text);
      return { shard, id, due, topic: payload.topic, message };
    });
  }
}
