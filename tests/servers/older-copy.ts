import type { RedisClient } from "./redis-client.ts";

// What a restore of an older copy does, on a private server: its second database keeps the copy.

/** Makes a copy of everything. */
export async function keepCopy(client: RedisClient): Promise<void> {
  for (const key of [await client.ask("KEYS", "*")].flat()) await client.ask("COPY", String(key), String(key), "DB", "1");
}

/** All clients see the copy from now on. */
export async function putBack(client: RedisClient): Promise<void> {
  await client.ask("SWAPDB", "0", "1");
}
