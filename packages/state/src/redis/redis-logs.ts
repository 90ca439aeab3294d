import type { Json } from "@toolbus/contracts";
import { jsonText } from "../prepared-change.ts";
import type { LogEntry } from "../state-store.ts";
import type { RedisContext } from "./redis-context.ts";
import { FEED_LENGTH } from "./redis-keys.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

export interface RedisLogs {
  range(log: string, options: { readonly after: number; readonly limit: number }): Promise<readonly LogEntry[]>;
  live(log: string, batch: Json): Promise<void>;
  recent(log: string): Promise<readonly Json[]>;
  genuine(log: string, batches: readonly Json[]): Promise<readonly Json[]>;
}

/** If more batches than this were added after the requested ones, `genuine` must read the whole log. */
const TAIL = 32;

/** Logs, with up to 512 live batches of each, kept for a minute. */
export function redisLogs(context: RedisContext): RedisLogs {
  const { connection, keys: layout, shards, clock } = context;
  return {
    async range(log, { after, limit }) {
      shards.shardOf(log);
      const start = Math.max(0, after);
      const texts = await connection.script(
        redisScripts.range,
        [layout.log(log)],
        [clock.argument(), String(start + 1), String(Math.min(start + limit, Number.MAX_SAFE_INTEGER))],
      );
      return listOf(texts).map((text, n) => ({ sequence: start + n + 1, value: valueOf(textIn(text)) }));
    },
    async live(log, batch) {
      const feed = layout.feed(shards.shardOf(log));
      const text = jsonText(log, batch);
      await connection.script(redisScripts.live, [layout.live(log), feed], [clock.argument(), log, text, String(FEED_LENGTH)]);
    },
    async recent(log) {
      // Both commands are sent together, in one round trip.
      const [now, batches] = await Promise.all([clock.now(), connection.command("lrange", [layout.live(log), 0, -1])]);
      return listOf(batches)
        .map(textIn)
        .filter((batch) => keptUntil(batch) > now)
        .map((batch) => valueOf(textOf(batch)));
    },
    async genuine(log, batches) {
      shards.shardOf(log);
      const wanted = batches.map((batch) => JSON.stringify(batch));
      const tail = await written(log, -(wanted.length + TAIL));
      // Either the log is ahead of its feed, or somebody put a batch into the feed that the log does not have.
      const known = wanted.every((text) => tail.has(text)) ? tail : await written(log, 0);
      return batches.filter((_, n) => known.has(wanted[n] ?? ""));
    },
  };

  async function written(log: string, from: number): Promise<ReadonlySet<string>> {
    const found = await connection.command("lrange", [layout.live(log), from, -1]);
    // Serialises each batch again in the same way as the requested ones, because another program may have written it differently.
    return new Set(listOf(found).map((batch) => JSON.stringify(valueOf(textOf(textIn(batch))))));
  }
}

function keptUntil(batch: string): number {
  return Number(batch.slice(0, batch.indexOf(" ")));
}

/** Returns the part after the expiry time. */
function textOf(batch: string): string {
  return batch.slice(batch.indexOf(" ") + 1);
}

function valueOf(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}
