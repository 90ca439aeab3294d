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
  const services = new Map<string, Map<string, Row>>();
  return {
    set(service, shard, id, due, payload) {
      rowsOf(service).set(rowKey(shard, id), { shard, id, due, payload });
    },
    remove(service, shard, id) {
      services.get(service)?.delete(rowKey(shard, id));
    },
    claim(service, now, { limit, visibleAfter, onNext }) {
      const rows = rowsOf(service);
      const due = [...rows.values()].filter((row) => row.due <= now);
      if (onNext && due.length === 0)
        onNext([...rows.values()].reduce((next, row) => Math.min(next, row.due - now), Number.POSITIVE_INFINITY));
      const claimed = due.toSorted((a, b) => a.due - b.due).slice(0, limit);
      for (const row of claimed) rows.set(rowKey(row.shard, row.id), { ...row, due: now + visibleAfter });
      return claimed;
    },
  };

  function rowsOf(service: string): Map<string, Row> {
    const rows = services.get(service) ?? new Map<string, Row>();
    services.set(service, rows);
    return rows;
  }
}

function rowKey(shard: string, id: string): string {
  return `${shard} ${id}`;
}
