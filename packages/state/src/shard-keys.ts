import { shardName } from "@toolbus/contracts";

/** The shards of one store. The shard of a key is the text between its first braces, as in Redis Cluster. */
export interface ShardKeys {
  readonly count: number;
  readonly names: readonly string[];
  /** Returns the key's shard. Throws TypeError for a key without a shard, RangeError for a shard that the store does not have. */
  shardOf(key: string): string;
  /** Throws as `shardOf` does, and RangeError for a key of another shard than this one. */
  checkIn(shard: string, key: string): void;
  /** Throws RangeError for a shard that the store does not have. */
  check(shard: string): void;
}

/** Two hex digits name a shard, so a store has at most 256 shards. */
export const MAX_SHARDS = 256;

export function shardKeys(count: number): ShardKeys {
  if (!Number.isInteger(count) || count < 1 || count > MAX_SHARDS) {
    throw new RangeError(`A store has 1 to ${MAX_SHARDS} shards, not ${count}.`);
  }
  const names = Array.from({ length: count }, (_, index) => shardName(index));
  const known = new Set(names);
  return {
    count,
    names,
    shardOf,
    checkIn(shard, key) {
      if (shardOf(key) !== shard) throw new RangeError(`Key "${key.slice(0, 80)}" belongs to another shard than "${shard}".`);
    },
    check,
  };

  function shardOf(key: string): string {
    const open = key.indexOf("{");
    const end = key.indexOf("}", open + 1);
    if (open < 0 || end < 0) throw new TypeError(`Key "${key.slice(0, 80)}" names no shard: it needs one in braces.`);
    const shard = key.slice(open + 1, end);
    check(shard);
    return shard;
  }

  function check(shard: string): void {
    if (known.has(shard)) return;
    throw new RangeError(
      `There is no shard "${shard.slice(0, 80)}" here: this store has ${count}, "${names[0]}" to "${names[count - 1]}".`,
    );
  }
}
