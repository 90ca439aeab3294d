import { StoreUnavailable } from "../state-store.ts";
import type { RedisContext } from "./redis-context.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

export interface RedisProbeOptions {
  /** Names the server in errors. */
  readonly shown: string;
  /** Invoked for a shard whose counter was not a number. The number of its last commit is lost. */
  readonly onDamage: (shard: string, now: number) => void;
}

/**
 * Returns a probe, which asks whether the server, or every node of a cluster, accepts changes. Each probe writes the counter of another shard. It
 * rejects as a commit would, and with the fault "damaged" if it had to fix a counter.
 */
export function redisProbe(
  { connection, keys, together, clock }: RedisContext,
  { shown, onDamage }: RedisProbeOptions,
): () => Promise<void> {
  let turn = 0;
  return async () => {
    const round = turn++;
    const fixed = (await Promise.all(together.map((shards) => probe(shards, (round % shards.length) + 1)))).flat();
    if (fixed.length === 0) return;
    throw new StoreUnavailable(
      `${shown} held no valid number in the commit counter of shard ${fixed.join(", ")}: the counter was fixed, and this counts as a loss of that shard.`,
      { fault: "damaged" },
    );
  };

  async function probe(shards: readonly string[], written: number): Promise<readonly string[]> {
    const named = shards.flatMap((shard) => [keys.commits(shard), keys.marks(shard)]);
    const [now, ...places] = listOf(await connection.script(redisScripts.probe, named, [clock.argument(), String(written)]));
    const fixed = places.map((place) => shards[Number(place) - 1] ?? "");
    for (const shard of fixed) onDamage(shard, Number(textIn(now)));
    return fixed;
  }
}
