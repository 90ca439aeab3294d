import type { ConnectStateOptions } from "./connect-state.ts";
import { StoreRefused } from "./state-store.ts";

/** What a store reports about itself to its operator. */
export interface StoreDurability {
  /** The store's address, without a password. */
  readonly shown: string;
  /** Which acknowledged data may be lost. Each sentence contains the remedy. */
  readonly doubts: readonly string[];
}

/**
 * Checks whether the store of this URL keeps the writes that it acknowledges. It writes nothing and creates no store. Returns null for a store within
 * one process: a store in files syncs every commit by itself, and a store in memory keeps nothing by design. Throws `StoreRefused`, as `connectState`
 * does, for problems that stop every service from starting. Throws `StoreUnavailable` for a server that does not answer within `connectForMs`.
 */
export async function storeDurability(
  url: string,
  {
    connectForMs,
    signal,
    durability,
  }: Required<Pick<ConnectStateOptions, "connectForMs" | "signal">> & Pick<ConnectStateOptions, "durability">,
): Promise<StoreDurability | null> {
  if (url === "memory:" || /^sqlite:(?!\/\/)./.test(url)) return null;
  if (!/^rediss?:\/\//.test(url)) throw new StoreRefused("STATE_URL names no state store: use sqlite:DIRECTORY or redis://HOST:PORT.");
  const [{ parseRedisUrl }, { connectRedis }] = await Promise.all([import("./redis/redis-url.ts"), import("./redis/connect-redis.ts")]);
  const address = parseRedisUrl(url);
  const doubts: string[] = [];
  const warn = (sentence: string): void => void doubts.push(sentence);
  const wanted = durability ?? address.durability ?? "required";
  const { connection } = await connectRedis({ address, durability: wanted, connectForMs, random: () => 0.5, warn, signal });
  connection.abandon();
  return { shown: address.shown, doubts };
}
