import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { StoreUnavailable } from "../state-store.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";

/** One open database. Work is synchronous, so nothing of this process comes between its steps; other processes are kept out by transactions. */
export interface Connection {
  prepare(sql: string): StatementSync;
  /** Does the work in one write transaction, synced to disk before it resolves; nothing of it stays when the work throws. */
  write<T>(work: () => T): Promise<T>;
  /** Does work that only reads, all of it at one moment. */
  read<T>(work: () => T): Promise<T>;
  /** Waits for what is under way. Safe to use twice. */
  close(): Promise<void>;
}

// About two seconds in all. The event loop goes on meanwhile: the driver itself is told to give up at once.
const BUSY_DELAYS_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256, 256, 256, 256];

/** Takes over an open database. `file` is named in errors. */
export function connectionTo(database: DatabaseSync, file: string): Connection {
  const underWay = new Set<Promise<unknown>>();
  const beginWrite = database.prepare("BEGIN IMMEDIATE");
  const beginRead = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  let closed = false;
  return {
    prepare: (sql) => database.prepare(sql),
    write: (work) => tracked(() => inTransaction(beginWrite, work)),
    read: (work) => tracked(() => inTransaction(beginRead, work)),
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
      if (database.isOpen) database.close();
    },
  };

  async function tracked<T>(attempt: () => T): Promise<T> {
    if (closed) throw new StoreUnavailable("The state store is closed.");
    const done = retryWhileBusy(attempt, file);
    underWay.add(done);
    try {
      return await done;
    } finally {
      underWay.delete(done);
    }
  }

  function inTransaction<T>(begin: StatementSync, work: () => T): T {
    begin.run();
    try {
      const value = work();
      commit.run();
      return value;
    } finally {
      // Still open only when the work or the commit failed; some faults of SQLite have rolled it back already.
      if (database.isTransaction) rollback.run();
    }
  }
}

/** Tries again, with growing pauses, as long as another process is in the way. Throws `StoreUnavailable` after about two seconds. */
export async function retryWhileBusy<T>(attempt: () => T, file: string): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return attempt();
    } catch (error) {
      const delay = BUSY_DELAYS_MS[tries];
      if (!isBusy(error) || delay === undefined) throw storeError(error, file);
      await wait(delay);
    }
  }
}
