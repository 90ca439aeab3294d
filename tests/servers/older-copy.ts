import type { RedisClient } from "./redis-client.ts";

// On a private server, these functions do what a restore of an older copy does. The copy is kept in the server's second database.

/** Copies every key to the second database. */
export async function keepCopy(client: RedisClient): Promise<void> {
  for (const key of [await client.ask("KEYS", "*")].flat()) await client.ask("COPY", String(key), String(key), "DB", "1");
}

/** Restores the copy. All clients see it from now on. */
export async function putBack(client: RedisClient): Promise<void> {
  await client.ask("SWAPDB", "0", "1");
}
