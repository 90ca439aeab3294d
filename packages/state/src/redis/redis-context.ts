import type { ShardKeys } from "../shard-keys.ts";
import type { RedisClock } from "./redis-clock.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisKeys } from "./redis-keys.ts";

/** What the parts of a Redis store share. */
export interface RedisContext {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly shards: ShardKeys;
  /** Shards whose keys may meet in one command: all of them on one server, each alone in a cluster. */
  readonly together: readonly (readonly string[])[];
  readonly clock: RedisClock;
}
