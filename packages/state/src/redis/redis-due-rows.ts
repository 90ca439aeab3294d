import type { Json } from "@toolbus/contracts";
import type { ClaimOptions, OutboxRow, RowKind, TimerRow } from "../state-store.ts";
import type { RedisContext } from "./redis-context.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

export interface RedisDueRows {
  claimTimers(service: string, options: ClaimOptions): Promise<readonly TimerRow[]>;
  claimOutbox(service: string, options: ClaimOptions): Promise<readonly OutboxRow[]>;
  settle(service: string, rows: readonly { readonly shard: string; readonly id: string }[]): Promise<void>;
}

type Row = TimerRow & { readonly content: string };

export function redisDueRows({ connection, keys: layout, together, clock, shards }: RedisContext): RedisDueRows {
  return {
    async claimTimers(service, options) {
      return (await claim(service, "timer", options)).map(({ shard, id, due }) => ({ shard, id, due }));
    },
    async claimOutbox(service, options) {
      return (await claim(service, "outbox", options)).map(outboxRowOf);
    },
    async settle(service, rows) {
      const byShard = Map.groupBy(rows, ({ shard }) => shard);
      for (const shard of byShard.keys()) shards.check(shard);
      const parts = together.map((names) => names.filter((shard) => byShard.has(shard))).filter((names) => names.length > 0);
      await Promise.all(
        parts.map((names) =>
          connection.script(
            redisScripts.settle,
            names.flatMap((shard) => keysOf(service, "outbox", shard)),
            names.map((shard) => byShard.get(shard) ?? []).flatMap((ids) => [String(ids.length), ...ids.map(({ id }) => id)]),
          ),
        ),
      );
    },
  };

  async function claim(service: string, kind: RowKind, options: ClaimOptions): Promise<readonly Row[]> {
    const [all] = together;
    if (together.length === 1 && all) return claimIn(service, kind, all, options);
    return claimApart(service, kind, options);
  }

  /**
   * Claims rows in a cluster, where no command reads two shards. It first reads the due rows of all shards, and then claims the oldest ones in their
   * shards. If another process claims a row in between, the result has fewer rows.
   */
  async function claimApart(service: string, kind: RowKind, { limit, visibleAfter, onNext }: ClaimOptions): Promise<readonly Row[]> {
    let next = Number.POSITIVE_INFINITY;
    const look = { limit, visibleAfter: null, onNext: (dueIn: number) => void (next = Math.min(next, dueIn)) };
    const seen = await Promise.all(together.map((names) => claimIn(service, kind, names, look)));
    if (seen.every((rows) => rows.length === 0)) onNext?.(next);
    const oldest = seen.flat().toSorted(byDue).slice(0, limit);
    const byShard = Map.groupBy(oldest, ({ shard }) => shard);
    const taken = [...byShard].map(([shard, rows]) => claimIn(service, kind, [shard], { limit: rows.length, visibleAfter }));
    return (await Promise.all(taken)).flat().toSorted(byDue);
  }

  async function claimIn(
    service: string,
    kind: RowKind,
    names: readonly string[],
    { limit, visibleAfter, onNext }: Omit<ClaimOptions, "visibleAfter"> & { readonly visibleAfter: number | null },
  ): Promise<readonly Row[]> {
    const script = await connection.script(
      redisScripts.claim,
      names.flatMap((shard) => keysOf(service, kind, shard)),
      [clock.argument(), kind === "outbox" ? "content" : "", String(limit), visibleAfter === null ? "" : String(visibleAfter)],
    );
    const found = listOf(script);
    if (found.length <= 1) {
      onNext?.(found.length === 0 ? Number.POSITIVE_INFINITY : Number(textIn(found[0])));
      return [];
    }
    return rowsOf(found, names, kind === "outbox" ? 4 : 3);
  }

  function keysOf(service: string, kind: RowKind, shard: string): readonly string[] {
    if (kind === "timer") return [layout.timers(service, shard)];
    return [layout.outbox(service, shard), layout.outboxRows(service, shard)];
  }
}

function rowsOf(flat: readonly unknown[], names: readonly string[], width: number): readonly Row[] {
  return Array.from({ length: flat.length / width }, (_, n) => {
    const [place, id, due, content] = flat.slice(n * width, (n + 1) * width);
    return {
      shard: names[Number(place) - 1] ?? "",
      id: textIn(id),
      due: Number(textIn(due)),
      content: content === undefined ? "" : textIn(content),
    };
  });
}

function byDue(a: Row, b: Row): number {
  return a.due - b.due;
}

function outboxRowOf({ shard, id, due, content }: Row): OutboxRow {
  const end = content.indexOf("\n");
  const message: Json = JSON.parse(content.slice(0, end));
  return { shard, id, due, topic: content.slice(end + 1), message };
}
