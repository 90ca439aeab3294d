import {
  type Change,
  type ClaimOptions,
  type CommitReply,
  memoryStore,
  type OutboxRow,
  type StateStore,
  type TimerRow,
} from "@toolbus/state";
import type { Observe } from "./observation.ts";

export type RowKind = "timer" | "outbox";

/** The one memory store of a world. It reports everything that it does, and knows when the next row is due. */
export interface ObservedStore extends Pick<
  StateStore,
  "read" | "head" | "changed" | "range" | "live" | "recent" | "genuine" | "follow" | "page" | "putBlob" | "getBlob"
> {
  readonly shards: number;
  commit(shard: string, change: Change): Promise<CommitReply>;
  claim(service: string, kind: RowKind, options: ClaimOptions): Promise<readonly (TimerRow | OutboxRow)[]>;
  settle(service: string, rows: readonly { readonly shard: string; readonly id: string }[]): Promise<void>;
  /** Returns when the next row of this service is due, by the store's clock, or null if it has none. */
  nextDue(service: string, kind: RowKind): number | null;
  /** Registers a listener that is invoked when a row of a service is added or changes its time. */
  onRows(listener: (service: string, kind: RowKind) => void): void;
  /** Returns the existing rows, each with the name of its service and its subject, such as `agent run:…`. */
  rowsLeft(kind: RowKind): readonly string[];
}

export function observedStore(options: { readonly clock: () => number; readonly observe: Observe }): ObservedStore {
  const { clock, observe } = options;
  const store = memoryStore({ clock });
  const due = { timer: new Map<string, Map<string, number>>(), outbox: new Map<string, Map<string, number>>() };
  const lastCommit = new Map<string, number>();
  const listeners: ((service: string, kind: RowKind) => void)[] = [];
  return {
    shards: store.shards,
    read: store.read,
    head: store.head,
    changed: store.changed,
    range: store.range,
    live: store.live,
    recent: store.recent,
    genuine: store.genuine,
    follow: store.follow,
    page: store.page,
    putBlob: store.putBlob,
    getBlob: store.getBlob,
    async commit(shard, change) {
      const at = clock();
      const reply = await store.commit(shard, change);
      // The reply to a repeat has the number of the first commit.
      if (reply.outcome !== "ok" || reply.commit <= (lastCommit.get(shard) ?? 0)) return reply;
      lastCommit.set(shard, reply.commit);
      observe({ kind: "commit", at, shard, change, commit: reply.commit });
      for (const { service, id, dueIn } of change.timers ?? [])
        setRow("timer", service, `${shard} ${id}`, dueIn === null ? null : at + dueIn);
      for (const { service, id, dueIn } of change.outbox ?? []) setRow("outbox", service, `${shard} ${id}`, at + dueIn);
      return reply;
    },
    async claim(service, kind, { limit, visibleAfter }) {
      const at = clock();
      const asked = { limit, visibleAfter };
      const rows = kind === "timer" ? await store.claim(service, kind, asked) : await store.claim(service, kind, asked);
      // If a due row is not in the reply, it no longer exists.
      if (rows.length < limit) for (const [row, dueAt] of rowsOf(kind, service)) if (dueAt <= at) rowsOf(kind, service).delete(row);
      for (const { shard, id } of rows) setRow(kind, service, `${shard} ${id}`, at + visibleAfter);
      return rows;
    },
    async settle(service, rows) {
      await store.settle(service, rows);
      for (const { shard, id } of rows) rowsOf("outbox", service).delete(`${shard} ${id}`);
      observe({ kind: "settle", at: clock(), service, rows });
    },
    nextDue(service, kind) {
      let next: number | null = null;
      for (const dueAt of rowsOf(kind, service).values()) if (next === null || dueAt < next) next = dueAt;
      return next;
    },
    onRows: (listener) => void listeners.push(listener),
    rowsLeft: (kind) =>
      [...due[kind]].flatMap(([service, rows]) => [...rows.keys()].map((row) => `${service} ${row.slice(row.indexOf(" ") + 1)}`)),
  };

  function rowsOf(kind: RowKind, service: string): Map<string, number> {
    const rows = due[kind].get(service) ?? new Map<string, number>();
    due[kind].set(service, rows);
    return rows;
  }

  function setRow(kind: RowKind, service: string, row: string, dueAt: number | null): void {
    if (dueAt === null) return void rowsOf(kind, service).delete(row);
    rowsOf(kind, service).set(row, dueAt);
    for (const listener of listeners) listener(service, kind);
  }
}
