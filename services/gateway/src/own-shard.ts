import { shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Whether this store has the shard that an id names. An id can be made up. */
export function isShardOf({ shards }: StateStore, id: string): boolean {
  return Number.parseInt(shardOf(id), 16) < shards;
}
