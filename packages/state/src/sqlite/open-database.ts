import { DEFAULT_SHARDS } from "@toolbus/contracts";
import { DatabaseSync } from "node:sqlite";
import { shardKeys } from "../shard-keys.ts";
import { StoreRefused } from "../state-store.ts";
import { numberOf, textOf } from "./columns.ts";
import { type Connection, connectionTo, retryWhileBusy } from "./connection.ts";
import { createPrivately } from "./directory-lock.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";

/**
 * The number of pages in SQLite's log from which on a commit also writes the log into the database, which costs two more syncs. A page is then written
 * once, however many commits have changed it. A commit logs up to 20 pages of 4 KB, so SQLite's own number would be reached every 50 commits. With
 * this number, the file of the log has 16 MB.
 */
const LOG_PAGES = 4000;

/** The name of the database in its directory. */
export const DATABASE = "state.db";

/**
 * Opens the database, and creates it if it does not exist. Throws `StoreRefused` if the file is not a database, is not ours, has another schema
 * version, or has a different number of shards than requested. The message names the file and says what to do. Such a file stays unchanged.
 */
export async function openDatabase(file: string, shards: number | undefined): Promise<{ connection: Connection; shards: number }> {
  createPrivately(file);
  const database = await retryWhileBusy(() => new DatabaseSync(file, { timeout: 0 }), file);
  try {
    const isNew = await retryWhileBusy(() => checkOwner(database, file), file);
    await retryWhileBusy(() => makeDurable(database, file), file);
    database.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
    if (isNew) await retryWhileBusy(() => createSchema(database, shards ?? DEFAULT_SHARDS), file);
    return { connection: connectionTo(database, file), shards: storedShards(database, file, shards) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Makes sure that every commit is synced to disk before it is answered, and reads the settings back. SQLite silently accepts a setting that it does
 * not follow, for example if a file system cannot share memory, or a build has its own setting. Throws `StoreRefused` in this case.
 */
export function makeDurable(database: Pick<DatabaseSync, "exec" | "prepare">, file: string): void {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  const journal = textOf(database.prepare("PRAGMA journal_mode").get() ?? {}, "journal_mode");
  const synchronous = numberOf(database.prepare("PRAGMA synchronous").get() ?? {}, "synchronous");
  if (journal === "wal" && synchronous === SYNCHRONOUS_FULL) return;
  throw new StoreRefused(
    `${file} would not be synced to disk at every commit (journal mode ${journal}, synchronous ${synchronous}; it needs wal and ${SYNCHRONOUS_FULL}): name a directory on a local disk.`,
  );
}

const SYNCHRONOUS_FULL = 2;

/**
 * Returns whether the file is empty and may become ours. It only reads, so any other file stays unchanged. Throws `StoreRefused` for a database that
 * is not ours, or that another version wrote.
 */
export function checkOwner(database: DatabaseSync, file: string): boolean {
  const owner = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  const tables = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get();
  if (owner === 0 && version === 0 && tables && numberOf(tables, "tables") === 0) return true;
  if (owner !== APPLICATION_ID) {
    throw new StoreRefused(`${file} is another application's database: move it away or name another directory. It was left as it is.`);
  }
  if (version !== SCHEMA_VERSION) {
    throw new StoreRefused(
      `${file} has schema version ${version}, this program reads ${SCHEMA_VERSION}: start the version that wrote it or name another directory.`,
    );
  }
  return false;
}

/** Creates the schema in one transaction, so that a process that dies in the middle leaves an empty file. */
function createSchema(database: DatabaseSync, shards: number): void {
  const { names } = shardKeys(shards);
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have created the schema meanwhile.
    if (pragma(database, "application_id") === 0) {
      database.exec(SCHEMA);
      database.prepare("INSERT INTO meta (name, value) VALUES ('shards', ?)").run(String(shards));
      const insert = database.prepare("INSERT INTO shards (shard, commits) VALUES (?, 0)");
      for (const name of names) insert.run(name);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`);
    }
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function storedShards(database: DatabaseSync, file: string, asked: number | undefined): number {
  const row = database.prepare("SELECT value FROM meta WHERE name = 'shards'").get();
  const stored = row ? Number(textOf(row, "value")) : 0;
  if (asked === undefined || asked === stored) return stored;
  throw new StoreRefused(
    `${file} has ${stored} shards, fixed at its first start, not ${asked}: ask for ${stored} or name another directory.`,
  );
}

function pragma(database: DatabaseSync, name: "application_id" | "user_version"): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row ? numberOf(row, name) : 0;
}
