import type { Unusable } from "@toolbus/bus";
import { shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Returns true if this store has the shard that an id names. A sender can make up an id. */
export function isShardOf({ shards }: Pick<StateStore, "shards">, id: string): boolean {
  return Number.parseInt(shardOf(id), 16) < shards;
}

/**
 * Returns the verdict "unusable" if an id names a shard that this store does not have, because no service here can handle the message. Returns null
 * if the store has the shard.
 */
export function refusedShard(state: Pick<StateStore, "shards">, id: string): Unusable | null {
  return isShardOf(state, id) ? null : { kind: "unusable", reason: "it names a shard that this store does not have" };
}
