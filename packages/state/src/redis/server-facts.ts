import { StoreUnavailable } from "../state-store.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** The facts that a server reports about itself. A fact is null if this user may not ask for it, or the server does not report it. */
export interface ServerFacts {
  readonly version: string | null;
  readonly isReplica: boolean;
  readonly isClustered: boolean;
  /** Whether the server writes an append-only file. */
  readonly aof: boolean | null;
  /** When the append-only file is synced to disk: "always", "everysec" or "no". */
  readonly fsync: string | null;
  /** The server's policy when its memory is full. */
  readonly eviction: string | null;
  /** Whether the server replays multi-command commits from its append-only file when it starts again. */
  readonly replays: boolean | null;
}

/** Asks CONFIG, or INFO if CONFIG is forbidden (as on managed servers). Also asks what the server's user `default` may do with this key. */
export async function serverFacts({ command }: Pick<RedisConnection, "command">, key: string): Promise<ServerFacts> {
  const [info, config, replays] = await Promise.all([infoOf(command), configOf(command), mayReplay(command, key)]);
  return factsOf(info, config, replays);
}

export function factsOf(
  info: ReadonlyMap<string, string>,
  config: ReadonlyMap<string, string>,
  replays: boolean | null = null,
): ServerFacts {
  const appendonly = config.get("appendonly") ?? { "0": "no", "1": "yes" }[info.get("aof_enabled") ?? ""];
  return {
    version: info.get("redis_version") ?? null,
    isReplica: info.get("role") === "slave",
    isClustered: info.get("cluster_enabled") === "1",
    aof: appendonly === undefined ? null : appendonly === "yes",
    fsync: config.get("appendfsync") ?? null,
    eviction: config.get("maxmemory-policy") ?? info.get("maxmemory_policy") ?? null,
    replays,
  };
}

/** Returns the lines `name:value` of an INFO reply. */
export function infoLines(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
}

async function infoOf(command: RedisConnection["command"]): Promise<ReadonlyMap<string, string>> {
  const text = await permitted(command("info", []));
  return infoLines(typeof text === "string" ? text : "");
}

async function configOf(command: RedisConnection["command"]): Promise<ReadonlyMap<string, string>> {
  // Before version 7.0, several names at once are a syntax error. The store refuses such a server for its version.
  const reply = await permitted(command("config", ["get", "appendonly", "appendfsync", "maxmemory-policy"]));
  const parts: unknown[] = Array.isArray(reply) ? reply : [];
  return new Map(parts.flatMap((name, n) => (n % 2 === 0 ? [[String(name), String(parts[n + 1])] as const] : [])));
}

/**
 * Returns whether the user `default` has enough rights to replay commits, or null if the server does not say. A server reads its append-only file as
 * this user, and EXEC checks the user's rights again. With fewer rights, the server omits the writes of a script or a transaction, and reports this
 * only in its log (redis/redis#14541, fixed in November 2025; valkey-io/valkey#3983).
 */
async function mayReplay(command: RedisConnection["command"], key: string): Promise<boolean | null> {
  const replies = await Promise.all(
    REPLAYED.map(([name, ...args]) => permitted(command("acl", ["dryrun", "default", name, key, ...args]))),
  );
  return replies.includes(null) ? null : replies.every((reply) => reply === "OK");
}

/** The commands with which the scripts of the state store write. `redis-rights.test.ts` compares them with the source. */
export const REPLAYED = [
  ["set", "v"],
  ["setrange", "0", "v"],
  ["incr"],
  ["del"],
  ["pexpire", "1"],
  ["persist"],
  ["rpush", "v"],
  ["lset", "0", "v"],
  ["ltrim", "0", "1"],
  ["hset", "f", "v"],
  ["hdel", "f"],
  ["zadd", "1", "m"],
  ["zrem", "m"],
  ["xadd", "*", "f", "v"],
] as const;

/** Returns the reply, or null if the server refuses to answer. Only an unavailable server is an error. */
async function permitted(reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return null;
  }
}
