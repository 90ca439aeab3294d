import { type Place, pageOf, startOf } from "../page-cursor.ts";
import type { Indexes, Page } from "../state-store.ts";

export interface MemoryIndexes {
  set(index: string, shard: string, member: string, score: number | null): void;
  page(index: string, options: Parameters<Indexes["page"]>[1]): Page;
}

export function memoryIndexes(): MemoryIndexes {
  const indexes = new Map<string, Map<string, Place>>();
  return {
    set(index, shard, member, score) {
      const places = indexes.get(index) ?? new Map<string, Place>();
      indexes.set(index, places);
      if (score === null) places.delete(`${shard} ${member}`);
      else places.set(`${shard} ${member}`, { score, member });
    },
    page(index, { cursor, limit, order = "asc" }) {
      const start = startOf(cursor, order);
      const direction = order === "asc" ? 1 : -1;
      const places = [...(indexes.get(index)?.values() ?? [])].filter((place) => compare(place, start) * direction > 0);
      return pageOf(
        places.toSorted((a, b) => compare(a, b) * direction),
        limit,
      );
    },
  };
}

function compare(a: Place, b: Place): number {
  if (a.score !== b.score) return a.score < b.score ? -1 : 1;
  if (a.member === b.member) return 0;
  return a.member < b.member ? -1 : 1;
}
