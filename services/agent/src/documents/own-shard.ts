import type { Unusable } from "@toolbus/bus";
import { shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Whether this store has the shard that an id names. An id can be made up. */
export function isShardOf({ shards }: Pick<StateStore, "shards">, id: string): boolean {
  return Number.parseInt(shardOf(id), 16) < shards;
}

/** Gives up a message about an id that cannot exist here: no service here can handle it. Null if the store has its shard. */
export function refusedShard(state: Pick<StateStore, "shards">, id: string): Unusable | null {
  return isShardOf(state, id) ? null : { kind: "unusable", reason: "it names a shard that this store does not have" };
}
