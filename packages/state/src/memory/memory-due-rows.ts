import type { ClaimOptions, TimerRow } from "../state-store.ts";

/** Rows of services that become due: timers, or outbox rows with their contents. */
export interface DueRows<Payload> {
  set(service: string, shard: string, id: string, due: number, payload: Payload): void;
  remove(service: string, shard: string, id: string): void;
  /** Returns the due rows, oldest first, each with the time when it was due. Makes every returned row due again later. */
  claim(service: string, now: number, options: ClaimOptions): readonly (TimerRow & { readonly payload: Payload })[];
}

export function memoryDueRows<Payload>(): DueRows<Payload> {
  type Row = TimerRow & { readonly payload: Payload };
  interface Rows {
    readonly byKey: Map<string, Row>;
    /** When the first row is due, or null if that row is gone and nobody has looked for the next one. */
    first: number | null;
  }
  const services = new Map<string, Rows>();
  return {
    set(service, shard, id, due, payload) {
      const rows = rowsOf(service);
      const before = rows.byKey.get(rowKey(shard, id));
      rows.byKey.set(rowKey(shard, id), { shard, id, due, payload });
      if (before && before.due === rows.first) rows.first = null;
      else if (rows.first !== null) rows.first = Math.min(rows.first, due);
    },
    remove(service, shard, id) {
      const rows = rowsOf(service);
      if (rows.byKey.get(rowKey(shard, id))?.due === rows.first) rows.first = null;
      rows.byKey.delete(rowKey(shard, id));
    },
    claim(service, now, { limit, visibleAfter, onNext }) {
      const rows = rowsOf(service);
      // Most claims find nothing due. They must not look at every row, because there may be many.
      const first = (rows.first ??= earliest(rows.byKey.values()));
      if (first > now) {
        onNext?.(first - now);
        return [];
      }
      const due = [...rows.byKey.values()].filter((row) => row.due <= now);
      const claimed = due.toSorted((a, b) => a.due - b.due).slice(0, limit);
      for (const row of claimed) rows.byKey.set(rowKey(row.shard, row.id), { ...row, due: now + visibleAfter });
      rows.first = null;
      return claimed;
    },
  };

  function rowsOf(service: string): Rows {
    const rows = services.get(service) ?? { byKey: new Map<string, Row>(), first: Number.POSITIVE_INFINITY };
    services.set(service, rows);
    return rows;
  }
}

function earliest(rows: Iterable<TimerRow>): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { due } of rows) next = Math.min(next, due);
  return next;
}

function rowKey(shard: string, id: string): string {
  return `${shard} ${id}`;
}
