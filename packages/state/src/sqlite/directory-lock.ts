import { mkdirSync, openSync, closeSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "../state-store.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";

export interface DirectoryLock {
  /** Safe to use twice. */
  release(): void;
}

/**
 * Locks the data directory for this process alone. Throws `StoreRefused` if another process, or another store of this process, has the lock.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = tryLockDirectory(directory);
  if (lock !== null) return lock;
  throw new StoreRefused(`The state in ${directory} is in use by another process: stop that one or name another directory.`);
}

/**
 * Locks a directory for this process alone, by an exclusive SQLite lock on a small separate database. The operating system releases the lock when the
 * process ends, for whatever reason. Returns null if another process, or another lock of this process, has it. Throws `StoreRefused` or
 * `StoreUnavailable` if the directory cannot be locked at all.
 */
export function tryLockDirectory(directory: string): DirectoryLock | null {
  const file = path.join(directory, LOCK);
  createPrivately(file);
  const database = openLock(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw storeError(error, file);
    return null;
  }
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}

/** The name of the file that is locked. It is empty, and it stays when the lock is released. */
const LOCK = "lock.db";

/** Makes the directory and its parents, for this user only. Throws `StoreRefused` if that fails. */
export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreRefused(`The directory ${directory} cannot be created: ${reasonOf(error)}. Name another one.`, { cause: error });
  }
}

/**
 * Makes an empty file that only this user may read. SQLite gives its other files the same rights. An existing file is not even opened, because
 * closing it would release every lock that this process has on it.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw new StoreRefused(`The file ${file} cannot be created: ${reasonOf(error)}. Name another directory.`, { cause: error });
  }
}

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw storeError(error, file);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
