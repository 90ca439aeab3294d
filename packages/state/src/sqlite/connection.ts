import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { StoreUnavailable } from "../state-store.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";

/** One open database. Work is synchronous, so nothing else in this process happens between its steps. Transactions keep other processes out. */
export interface Connection {
  prepare(sql: string): StatementSync;
  /** Does the work in one write transaction, which is synced to disk before it resolves. If the work throws, the transaction is rolled back. */
  write<T>(work: () => T): Promise<T>;
  /** Does read-only work in one transaction, so that all its statements see the same snapshot. */
  read<T>(work: () => T): Promise<T>;
  /** Does read-only work of one statement. A single statement sees one snapshot even without a transaction. */
  look<T>(statement: () => T): Promise<T>;
  /**
   * Does the work at the start of the next write transaction, or within 100 ms in a separate transaction. It is for work that a crash may undo and
   * that is not worth its own sync to disk. Throws `StoreUnavailable` if the connection is closed.
   */
  soon(work: () => void): void;
  /** Waits for pending work and does the work that `soon` deferred. Safe to use twice. */
  close(): Promise<void>;
}

// The delays add up to about two seconds. The event loop continues meanwhile, because the driver itself is configured to give up at once.
const BUSY_DELAYS_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256, 256, 256, 256];

// The delay is so long that under load another write usually happens first.
const SOON_MS = 100;

/** Makes a connection from an open database. Errors name `file`. */
export function connectionTo(database: DatabaseSync, file: string): Connection {
  const underWay = new Set<Promise<unknown>>();
  const beginWrite = database.prepare("BEGIN IMMEDIATE");
  const beginRead = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const putOff: (() => void)[] = [];
  let soonTimer: NodeJS.Timeout | null = null;
  let closed = false;
  return {
    prepare: (sql) => database.prepare(sql),
    write: (work) => tracked(() => writing(work)),
    read: (work) => tracked(() => inTransaction(beginRead, work)),
    look: (statement) => tracked(statement),
    soon(work) {
      checkOpen();
      putOff.push(work);
      soonTimer ??= setTimeout(doPutOff, SOON_MS).unref();
    },
    async close() {
      closed = true;
      if (soonTimer) clearTimeout(soonTimer);
      await Promise.allSettled(underWay);
      if (!database.isOpen) return;
      try {
        if (putOff.length > 0) writing(() => {});
      } catch {
        // A crash may undo this work, so its failure does no harm either.
      }
      database.close();
    },
  };

  function checkOpen(): void {
    if (closed) throw new StoreUnavailable("The state store is closed.");
  }

  function writing<T>(work: () => T): T {
    const waiting = putOff.length;
    const value = inTransaction(beginWrite, () => {
      for (const each of putOff) each();
      return work();
    });
    // Removes the work only after the commit. If the transaction is rolled back, the next one does the work.
    putOff.splice(0, waiting);
    return value;
  }

  function doPutOff(): void {
    soonTimer = null;
    if (putOff.length === 0) return;
    tracked(() => writing(() => {})).catch(() => {
      // Nobody awaits this work. The next commit reports a problem with the database, and the next `soon` sets the timer again.
    });
  }

  async function tracked<T>(attempt: () => T): Promise<T> {
    checkOpen();
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
      // The transaction is still open only if the work or the commit failed. After some faults, SQLite has already rolled back.
      if (database.isTransaction) rollback.run();
    }
  }
}

/** Retries, with growing pauses, as long as another process holds the lock. Throws `StoreUnavailable` after about two seconds. */
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
