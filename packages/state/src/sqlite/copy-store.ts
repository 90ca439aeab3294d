import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "../state-store.ts";
import { textOf } from "./columns.ts";
import { retryWhileBusy } from "./connection.ts";
import { createPrivately, makeDirectory } from "./directory-lock.ts";
import { checkOwner, DATABASE } from "./open-database.ts";
import { storeError } from "./sqlite-errors.ts";

/** See `copySqliteStore`, which loads this file only if somebody copies a store. */
export async function copyStore({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const source = path.join(from, DATABASE);
  const target = path.join(to, DATABASE);
  if (!existsSync(source)) throw new StoreRefused(`There is no store in ${from}: name the directory that has a ${DATABASE}.`);
  if (existsSync(target)) throw new StoreRefused(`There is a store in ${to} already, which was left as it is: name another directory.`);
  makeDirectory(to);
  // The copy of a file is as private as the file. SQLite writes into an empty file that exists.
  createPrivately(target);
  try {
    // A copy of the file itself could have half of a commit, and would lack the write-ahead log. This statement reads one snapshot, and writers
    // continue.
    await withDatabase(source, (database) => {
      if (checkOwner(database, source)) throw new StoreRefused(`${source} is empty: no Toolbus has stored anything there yet.`);
      database.prepare("VACUUM INTO ?").run(target);
    });
    await withDatabase(target, (database) => checkWhole(database, target));
    for (const each of [target, to]) syncToDisk(each);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

async function withDatabase(file: string, use: (database: DatabaseSync) => void): Promise<void> {
  const database = await retryWhileBusy(() => new DatabaseSync(file, { readOnly: true, timeout: 0 }), file);
  try {
    await retryWhileBusy(() => use(database), file);
  } catch (error) {
    throw storeError(error, file);
  } finally {
    database.close();
  }
}

function checkWhole(database: DatabaseSync, file: string): void {
  const found = database.prepare("PRAGMA integrity_check(1)").get();
  const answer = found ? textOf(found, "integrity_check") : "no answer";
  if (answer !== "ok") throw new StoreRefused(`${file} is damaged (${answer}): take another copy.`);
}

function syncToDisk(file: string): void {
  const handle = openSync(file, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
