import { blobHash } from "../blob-hash.ts";
import { prepareChange } from "../prepared-change.ts";
import { shardKeys } from "../shard-keys.ts";
import { type StoreClock, storeClock } from "../store-clock.ts";
import { type ClaimOptions, type OutboxRow, type StateStore, StoreRefused, StoreUnavailable, type TimerRow } from "../state-store.ts";
import { type ConnectedRedis, connectRedis } from "./connect-redis.ts";
import { markMaker } from "./mark-maker.ts";
import { openRedisClock, type RedisClock, givenClock } from "./redis-clock.ts";
import type { RedisContext } from "./redis-context.ts";
import { redisDocuments } from "./redis-documents.ts";
import { redisDueRows } from "./redis-due-rows.ts";
import { redisFeed } from "./redis-feed.ts";
import { redisIndexes } from "./redis-indexes.ts";
import { redisKeys } from "./redis-keys.ts";
import { redisLogs } from "./redis-logs.ts";
import { redisProbe } from "./redis-probe.ts";
import { parseRedisUrl, type RedisAddress } from "./redis-url.ts";
import { replicated } from "./replicated.ts";
import { openStoreRecord, type StoreRecord } from "./store-record.ts";

export interface RedisStoreOptions {
  /** See `RedisAddress`. */
  readonly url: string;
  /** How many shards a new store has. An existing store refuses any other number than its own. */
  readonly shards?: number;
  /**
   * "required" refuses a server that may lose acknowledged writes, and "relaxed" only warns. The default is the value in the URL, else "required".
   */
  readonly durability?: "required" | "relaxed";
  /** How long to retry a server that is unavailable at the start, in milliseconds. The default is half a minute. */
  readonly connectForMs?: number;
  /** Returns this many random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Receives each warning for the server's operator. */
  readonly warn?: (sentence: string) => void;
  /**
   * Invoked when the store has lost acknowledged commits of this shard. `seenAt` is when this process last saw one of them, by the store's clock.
   */
  readonly onRollback?: (shard: string, seenAt: number) => void;
  /** Aborts the wait for an unavailable server. */
  readonly signal?: AbortSignal;
  /** Learns the store's time. */
  readonly time?: StoreClock;
  /** For tests: the time that scripts use instead of the server's, in milliseconds since 1970. */
  readonly clock?: () => number;
}

const CONNECT_FOR_MS = 30_000;
const IDENTITY_BYTES = 12;

/**
 * Opens a store on Redis 7 or Valkey, on one server or a cluster, for services in separate processes. Every commit is one script in one shard, and
 * the time is the server's. A change that was answered "ok" is as durable as the server's append-only file. It also survives a failover to one of the
 * `replicas` that have it.
 *
 * Throws `StoreRefused`, with one sentence that says what to do, if the server cannot be used as it is. Throws `StoreUnavailable` if the server stays
 * unavailable. If the connection is lost later, the store reconnects and never gives up. Until then, every operation throws `StoreUnavailable`.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<StateStore> {
  const { url, connectForMs = CONNECT_FOR_MS, random, warn = () => undefined, signal } = options;
  const address = parseRedisUrl(url);
  const durability = options.durability ?? address.durability ?? "required";
  const fraction = (): number => (random(1)[0] ?? 0) / 256;
  const connected = await connectRedis({ address, durability, connectForMs, random: fraction, warn, signal });
  try {
    const identity = Buffer.from(random(IDENTITY_BYTES)).toString("base64url");
    const wanted = { shards: options.shards, identity };
    const record = await openStoreRecord(connected.connection, redisKeys(address.namespace).store, wanted, address.shown);
    const clock = await clockOf(connected, options, redisKeys(address.namespace).clock);
    return storeOn(connected, address, record, { ...options, redisClock: clock }, fraction);
  } catch (error) {
    connected.connection.abandon();
    throw error;
  }
}

function clockOf(
  { connection, clustered }: ConnectedRedis,
  { clock, time }: RedisStoreOptions,
  key: string,
): Promise<RedisClock> | RedisClock {
  if (clock) return givenClock(clock);
  const monotonic = (): number => performance.now();
  return openRedisClock({
    connection,
    clustered,
    key,
    time: time ?? storeClock({ wall: () => performance.timeOrigin + performance.now(), monotonic }),
  });
}

function storeOn(
  connected: ConnectedRedis,
  { namespace, replicas, shown }: RedisAddress,
  record: StoreRecord,
  {
    random,
    warn = () => undefined,
    onRollback = () => undefined,
    redisClock: clock,
  }: RedisStoreOptions & { readonly redisClock: RedisClock },
  fraction: () => number,
): StateStore {
  const { connection } = connected;
  const shards = shardKeys(record.shards);
  const keys = redisKeys(namespace);
  const context: RedisContext = {
    connection,
    keys,
    shards,
    together: connected.clustered ? shards.names.map((name) => [name]) : [shards.names],
    clock,
  };
  const documents = redisDocuments(context, { newMark: markMaker(random), onRollback });
  const dueRows = redisDueRows(context);
  const logs = redisLogs(context);
  const indexes = redisIndexes(context);
  const feed = redisFeed(context, connected.another, fraction, warn);
  const onReplicas = replicas > 0 ? replicated(connection, replicas, shown) : null;
  const probe = redisProbe(context, { shown, onDamage: documents.lost });
  let closed = false;
  let refusal: StoreRefused | null = null;
  let { identity } = record;
  connected.onReconnect(() => void checkAgain());

  return {
    shards: shards.count,
    ownersDeadBefore: 0,
    async probe() {
      // Somebody may have fixed the reason for the refusal since then.
      if (refusal && !closed) await checkAgain();
      begin();
      await probe();
      await onReplicas?.();
    },
    async read(wanted) {
      begin();
      for (const key of wanted) shards.shardOf(key);
      return documents.read(wanted);
    },
    async commit(shard, change) {
      begin();
      const reply = await documents.commit(shard, prepareChange(shards, shard, change));
      if (reply.outcome === "ok") await onReplicas?.();
      return reply;
    },
    async head(shard) {
      begin();
      shards.check(shard);
      return documents.head(shard);
    },
    async changed(shard, since, known) {
      begin();
      for (const { key } of known) shards.checkIn(shard, key);
      return documents.changed(shard, since, known);
    },
    claim,
    async settle(service, rows) {
      begin();
      await dueRows.settle(service, rows);
    },
    async range(log, options) {
      begin();
      return logs.range(log, options);
    },
    async live(log, batch) {
      begin();
      await logs.live(log, batch);
    },
    async recent(log) {
      begin();
      return logs.recent(log);
    },
    async genuine(log, batches) {
      begin();
      return logs.genuine(log, batches);
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
      await connection.command("set", [keys.blob(hash), Buffer.from(bytes), "NX"]);
      return hash;
    },
    async getBlob(hash) {
      begin();
      const bytes = await connection.commandForBytes("get", [keys.blob(hash)]);
      if (!(bytes instanceof Buffer)) return null;
      if (blobHash(bytes) !== hash) throw new StoreRefused(`Blob ${hash} in ${shown} is damaged: restore it from a backup.`);
      return Uint8Array.from(bytes);
    },
    async close() {
      closed = true;
      clock.close();
      feed.close();
      await connection.close();
    },
  };

  function begin(): void {
    if (closed) throw new StoreUnavailable("The state store is closed.");
    if (refusal) throw refusal;
  }

  /** Checks the server after a lost connection. Another server may now answer, or a server that has lost everything. */
  async function checkAgain(): Promise<void> {
    try {
      const found = await openStoreRecord(connection, keys.store, { shards: record.shards, identity }, shown);
      refusal = null;
      if (found.identity === identity) return;
      identity = found.identity;
      const now = await context.clock.now();
      // If this process saw no commit of a shard, it reports time 0, because everything in the shard is lost.
      for (const shard of shards.names) onRollback(shard, Math.min(documents.seenAt(shard) ?? 0, now));
    } catch (error) {
      // The server is unavailable. The store checks again after the next connection.
      if (error instanceof StoreRefused) refusal = error;
    }
  }

  function claim(service: string, kind: "timer", options: ClaimOptions): Promise<readonly TimerRow[]>;
  function claim(service: string, kind: "outbox", options: ClaimOptions): Promise<readonly OutboxRow[]>;
  async function claim(service: string, kind: "timer" | "outbox", options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]> {
    begin();
    return kind === "timer" ? dueRows.claimTimers(service, options) : dueRows.claimOutbox(service, options);
  }
}
