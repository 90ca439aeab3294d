import { type StoreFault, StoreRefused, StoreUnavailable } from "../state-store.ts";

// Primary result codes of SQLite. The driver returns extended codes, whose low byte is the primary code.
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const OUTSIDE_CAUSES = new Set([4, 7, 8, 9, 10, 13, 14, 15, 22, 23]);
/** The faults that SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL mean. */
const FAULTS: ReadonlyMap<number, StoreFault> = new Map([
  [7, "memory"],
  [8, "read-only"],
  [10, "disk"],
  [13, "disk"],
]);

/** Returns whether another process holds the lock that this operation needs, so that the operation can be retried. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/**
 * Returns the port's error for a fault of SQLite. A damaged file is refused, and a failing disk is unavailable. An error in our own code stays as it
 * is.
 */
export function storeError(error: unknown, file: string): unknown {
  const code = resultCode(error);
  if (code === null || !(error instanceof Error)) return error;
  if (code === NOT_A_DATABASE) {
    return new StoreRefused(`${file} is not a SQLite database: move it away or name another directory. It was left as it is.`, {
      cause: error,
    });
  }
  if (code === CORRUPT) return new StoreRefused(`${file} is damaged (${error.message}): restore it from a backup.`, { cause: error });
  if (isBusy(error)) return new StoreUnavailable(`${file} is kept busy by another process: ${error.message}.`, { cause: error });
  if (OUTSIDE_CAUSES.has(code))
    return new StoreUnavailable(`${file} cannot be used: ${error.message}.`, { cause: error, fault: FAULTS.get(code) });
  return error;
}

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}
