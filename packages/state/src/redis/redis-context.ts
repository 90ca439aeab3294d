import type { ShardKeys } from "../shard-keys.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisKeys } from "./redis-keys.ts";

/** What the parts of a Redis store share. */
export interface RedisContext {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly shards: ShardKeys;
  /** Shards whose keys may meet in one command: all of them on one server, each by itself in a cluster. */
  readonly together: readonly (readonly string[])[];
  /** The time that scripts are told, as text; "" has them ask the server, as they always do outside tests. */
  readonly clock: () => string;
  /** The same time, asked of the server where it is not told, in milliseconds since 1970. */
  readonly now: () => Promise<number>;
}
