import { type Place, pageOf, startOf } from "../page-cursor.ts";
import type { PreparedChange } from "../prepared-change.ts";
import type { Indexes, Page } from "../state-store.ts";
import { LIMIT, numberOf, textOf } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The sorted indexes of a SQLite store. All methods need the caller's transaction. */
export interface SqliteIndexes {
  apply(shard: string, change: PreparedChange): void;
  page(index: string, options: Parameters<Indexes["page"]>[1]): Page;
}

export function sqliteIndexes({ prepare }: Connection): SqliteIndexes {
  const upsert = prepare(`
    INSERT INTO members (name, shard, member, score) VALUES (?, ?, ?, ?)
    ON CONFLICT (name, shard, member) DO UPDATE SET score = excluded.score`);
  const remove = prepare("DELETE FROM members WHERE name = ? AND shard = ? AND member = ?");
  const ascending = prepare(
    `SELECT member, score FROM members WHERE name = ? AND (score, member) > (?, ?) ORDER BY score, member ${LIMIT}`,
  );
  const descending = prepare(
    `SELECT member, score FROM members WHERE name = ? AND (score, member) < (?, ?) ORDER BY score DESC, member DESC ${LIMIT}`,
  );
  return {
    apply(shard, { index }) {
      for (const { index: name, member, score } of index) {
        if (score === null) remove.run(name, shard, member);
        else upsert.run(name, shard, member, score);
      }
    },
    page(name, { cursor, limit, order = "asc" }) {
      const start = startOf(cursor, order);
      const rows = (order === "asc" ? ascending : descending).all(name, start.score, start.member, limit + 1);
      const places: readonly Place[] = rows.map((row) => ({ member: textOf(row, "member"), score: numberOf(row, "score") }));
      return pageOf(places, limit);
    },
  };
}
