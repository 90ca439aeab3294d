import { randomBytes } from "node:crypto";
import { memoryStore } from "./memory/memory-store.ts";
import { rememberingOutcomes } from "./remembered-outcomes.ts";
import { type StateStore, StoreRefused } from "./state-store.ts";
import type { StoreClock } from "./store-clock.ts";

export interface ConnectStateOptions {
  /** The time of stores that have no clock of their own, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Gets to know the time of a store that has a clock of its own; with any other `clock` is the time. */
  readonly time?: StoreClock;
  /** For tests: `clock` is the time of every store, also of one whose server has a clock. */
  readonly clockForAll?: boolean;
  /** How many shards a new store gets. A store that exists keeps its number, and refuses another. */
  readonly shards?: number;
  /**
   * Whether a server that may lose what it acknowledged is refused ("required") or warned about ("relaxed"). By default what the URL says with
   * `?durability=`, else "required".
   */
  readonly durability?: "required" | "relaxed";
  /** How long a server that is absent at the start is tried again, in milliseconds; half a minute by default. */
  readonly connectForMs?: number;
  /** Ends that wait. */
  readonly signal?: AbortSignal;
  /** Told, sentence by sentence, what whoever operates the store should know. */
  readonly warn?: (sentence: string) => void;
  /**
   * Told, at the latest before the next commit of this shard is answered, that the store has lost commits of it that it had acknowledged, and when
   * this process had last seen such a one, by the store's clock.
   */
  readonly onRollback?: (shard: string, seenAt: number) => void;
}

/**
 * Opens the state store that a URL names: `memory:`, `sqlite:DIRECTORY`, or `redis://HOST` (`rediss://HOST` for TLS; see `RedisAddress` for the
 * options of such a URL). An adapter is loaded when it is asked for. Throws `StoreRefused`, with a sentence for whoever set the URL, for any other
 * one and for a store that cannot be used as it is; `StoreUnavailable` for a server that stays absent.
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
  // Only the scheme is repeated: what follows may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "";
  throw new StoreRefused(
    `The state store "${scheme}${scheme === url ? "" : "…"}" is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.`,
  );
}
