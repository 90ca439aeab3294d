import { randomBytes } from "node:crypto";
import { memoryStore } from "./memory/memory-store.ts";
import { rememberingOutcomes } from "./remembered-outcomes.ts";
import { type StateStore, StoreRefused } from "./state-store.ts";
import type { StoreClock } from "./store-clock.ts";

export interface ConnectStateOptions {
  /** The time of stores that have no clock of their own, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Receives the time of a store that has its own clock. For any other store, `clock` is the time. */
  readonly time?: StoreClock;
  /** For tests: `clock` is the time of every store, even of a store whose server has a clock. */
  readonly clockForAll?: boolean;
  /** How many shards a new store has. An existing store refuses any other number than its own. */
  readonly shards?: number;
  /**
   * "required" refuses a server that may lose acknowledged writes, and "relaxed" only warns. The default is the `?durability=` of the URL, else
   * "required".
   */
  readonly durability?: "required" | "relaxed";
  /** How long to retry a server that is unavailable at the start, in milliseconds. The default is half a minute. */
  readonly connectForMs?: number;
  /** Aborts the wait for an unavailable server. */
  readonly signal?: AbortSignal;
  /** Receives each warning for the operator of the store, as one sentence. */
  readonly warn?: (sentence: string) => void;
  /**
   * Invoked when the store has lost acknowledged commits of a shard, before it answers the next commit of the shard. `seenAt` is when this process
   * last saw one of the lost commits, by the store's clock.
   */
  readonly onRollback?: (shard: string, seenAt: number) => void;
}

/**
 * Opens the state store that a URL names: `memory:`, `sqlite:DIRECTORY`, or `redis://HOST` (`rediss://HOST` for TLS; `RedisAddress` has the options
 * of such a URL). Loads each adapter on demand.
 * Throws `StoreRefused`, with a sentence for the operator, for any other URL and for a store that cannot be used as it is. Throws `StoreUnavailable`
 * for a server that stays unavailable.
 */
export async function connectState(url: string, options: ConnectStateOptions): Promise<StateStore> {
  return rememberingOutcomes(await openStore(url, options), () => performance.now());
}

async function openStore(url: string, options: ConnectStateOptions): Promise<StateStore> {
  if (url === "memory:") return memoryStore(options);
  const directory = /^sqlite:(?!\/\/)(.+)$/.exec(url)?.[1];
  if (directory) {
    const { openSqliteStore } = await import("./sqlite/sqlite-store.ts");
    return openSqliteStore({ ...options, directory });
  }
  if (/^rediss?:\/\//.test(url)) {
    const { openRedisStore } = await import("./redis/redis-store.ts");
    const { clock, clockForAll = false, ...rest } = options;
    return openRedisStore({ ...rest, url, random: randomBytes, ...(clockForAll ? { clock } : {}) });
  }
  // The message repeats only the scheme, because the rest may contain a password.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "";
  throw new StoreRefused(
    `The state store "${scheme}${scheme === url ? "" : "…"}" is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.`,
  );
}
