import { shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Returns whether this store has the shard that an id names. Anybody can make up an id. */
export function isShardOf({ shards }: StateStore, id: string): boolean {
  return Number.parseInt(shardOf(id), 16) < shards;
}
