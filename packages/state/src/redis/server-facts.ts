import { StoreUnavailable } from "../state-store.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** What a server says of itself; null where this user may not ask, or the server does not say. */
export interface ServerFacts {
  readonly version: string | null;
  readonly isReplica: boolean;
  readonly isClustered: boolean;
  /** Whether it keeps an append-only file. */
  readonly aof: boolean | null;
  /** When that is synced to disk: "always", "everysec" or "no". */
  readonly fsync: string | null;
  /** What it does when memory is full. */
  readonly eviction: string | null;
}

/** Asks CONFIG and, where that is forbidden, as it is on managed servers, INFO. */
export async function serverFacts({ command }: Pick<RedisConnection, "command">): Promise<ServerFacts> {
  const [info, config] = await Promise.all([infoOf(command), configOf(command)]);
  return factsOf(info, config);
}

export function factsOf(info: ReadonlyMap<string, string>, config: ReadonlyMap<string, string>): ServerFacts {
  const appendonly = config.get("appendonly") ?? { "0": "no", "1": "yes" }[info.get("aof_enabled") ?? ""];
  return {
    version: info.get("redis_version") ?? null,
    isReplica: info.get("role") === "slave",
    isClustered: info.get("cluster_enabled") === "1",
    aof: appendonly === undefined ? null : appendonly === "yes",
    fsync: config.get("appendfsync") ?? null,
    eviction: config.get("maxmemory-policy") ?? info.get("maxmemory_policy") ?? null,
  };
}

/** The lines `name:value` of an INFO reply. */
export function infoLines(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
}

async function infoOf(command: RedisConnection["command"]): Promise<ReadonlyMap<string, string>> {
  const text = await permitted(command("info", []));
  return infoLines(typeof text === "string" ? text : "");
}

async function configOf(command: RedisConnection["command"]): Promise<ReadonlyMap<string, string>> {
  // Several names at once are a syntax error before 7.0: such a server is refused for its version.
  const reply = await permitted(command("config", ["get", "appendonly", "appendfsync", "maxmemory-policy"]));
  const parts: unknown[] = Array.isArray(reply) ? reply : [];
  return new Map(parts.flatMap((name, n) => (n % 2 === 0 ? [[String(name), String(parts[n + 1])] as const] : [])));
}

/** Null where the server refuses to say; only a server that does not answer is an error. */
async function permitted(reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return null;
  }
}
