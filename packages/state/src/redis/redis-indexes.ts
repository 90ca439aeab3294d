import { type Place, pageOf, startOf } from "../page-cursor.ts";
import type { Indexes, Page } from "../state-store.ts";
import type { RedisContext } from "./redis-context.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

/** Returns the pages of an index. Each group of shards returns its part of a page, and this function merges the parts. */
export function redisIndexes({ connection, keys: layout, together }: RedisContext): Indexes {
  return {
    async page(index, { cursor, limit, order = "asc" }): Promise<Page> {
      const { score, member } = startOf(cursor, order);
      // Reads one member more than the page, to find out whether another page follows.
      const args = [order, String(limit + 1), Number.isFinite(score) ? String(score) : "", member];
      const parts = together.map((names) =>
        connection.script(
          redisScripts.page,
          names.map((shard) => layout.index(index, shard)),
          args,
        ),
      );
      const places = (await Promise.all(parts)).flatMap((part) => listOf(part).flatMap(placesOf));
      const direction = order === "asc" ? 1 : -1;
      return pageOf(
        places.toSorted((a, b) => compare(a, b) * direction),
        limit,
      );
    },
  };
}

function placesOf(reply: unknown): readonly Place[] {
  const flat = listOf(reply);
  return Array.from({ length: flat.length / 2 }, (_, n) => ({ member: textIn(flat[2 * n]), score: Number(textIn(flat[2 * n + 1])) }));
}

/** Compares as sorted sets do: members with the same score are ordered by their bytes. */
function compare(a: Place, b: Place): number {
  return a.score === b.score ? Buffer.compare(Buffer.from(a.member), Buffer.from(b.member)) : a.score - b.score;
}
