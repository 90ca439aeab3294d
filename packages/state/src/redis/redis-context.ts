import type { ShardKeys } from "../shard-keys.ts";
import type { RedisClock } from "./redis-clock.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisKeys } from "./redis-keys.ts";

/** The values that the parts of a Redis store share. */
export interface RedisContext {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly shards: ShardKeys;
  /** Groups of shards whose keys may be in one command. On one server, all shards form one group. In a cluster, each shard is a group. */
  readonly together: readonly (readonly string[])[];
  readonly clock: RedisClock;
}
