import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { numberOf } from "./columns.ts";
import { SEED } from "./seed.ts";

export interface ShopDatabaseOptions {
  /** The folder of the database. Null if the database is only in memory. */
  readonly directory: string | null;
  /** Whether everything that happened in this shop is removed when the database is opened. */
  readonly reset: boolean;
}

/**
 * Opens the shop's database. Creates and fills the database if it does not exist. Every commit is on disk before the request is answered. Throws if
 * the file belongs to another application, and leaves that file unchanged.
 */
export function openShopDatabase({ directory, reset }: ShopDatabaseOptions): DatabaseSync {
  if (directory !== null) mkdirSync(directory, { recursive: true });
  const file = directory === null ? ":memory:" : path.join(directory, "shop.sqlite");
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    const owner = pragma(database, "application_id");
    const tables = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get();
    const isEmpty = owner === 0 && tables !== undefined && numberOf(tables, "tables") === 0;
    if (!isEmpty && owner !== APPLICATION_ID) throw new Error(`${file} is not the database of a shop: name another folder with --data.`);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
    if (isEmpty || reset) inTransaction(database, () => createShop(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs the work in one transaction. Either all of its changes are stored, or none. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

const BUSY_MS = 2000;
/** Marks the file as ours: "shop" in ASCII. */
const APPLICATION_ID = 0x73_68_6f_70;

// Tables that refer to other tables come first, so that the tables can be dropped in this order.
const TABLES = ["answers", "settled", "tickets", "mails", "address_changes", "refunds", "rates", "policies", "orders", "customers"];

const SCHEMA = `
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, balance INTEGER NOT NULL) STRICT;
CREATE TABLE orders (
  id TEXT PRIMARY KEY, customer TEXT NOT NULL REFERENCES customers (id), status TEXT NOT NULL, items TEXT NOT NULL, total INTEGER NOT NULL,
  street TEXT NOT NULL, postcode TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL
) STRICT;
CREATE TABLE policies (id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TABLE rates (country TEXT PRIMARY KEY, base INTEGER NOT NULL, per_kg INTEGER NOT NULL, days INTEGER NOT NULL) STRICT;
CREATE TABLE refunds (
  number INTEGER PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), amount INTEGER NOT NULL CHECK (amount > 0), reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE address_changes (
  number INTEGER PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), street TEXT NOT NULL, postcode TEXT NOT NULL, city TEXT NOT NULL,
  country TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE TABLE mails (number INTEGER PRIMARY KEY, recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE tickets (
  number INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
-- References under which no ticket may be created any more.
CREATE TABLE settled (reference TEXT PRIMARY KEY) STRICT;
-- The answer to each Idempotency-Key. The row is stored in the same transaction as the effect.
CREATE TABLE answers (key TEXT PRIMARY KEY, request TEXT NOT NULL, body TEXT NOT NULL) STRICT;
`;

function createShop(database: DatabaseSync): void {
  for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec(SCHEMA);
  const customer = database.prepare("INSERT INTO customers VALUES (?, ?, ?, ?)");
  for (const { id, name, email, balance } of SEED.customers) customer.run(id, name, email, balance);
  const order = database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const { id, customer: by, status, items, total, address } of SEED.orders)
    order.run(id, by, status, items, total, address.street, address.postcode, address.city, address.country);
  const policy = database.prepare("INSERT INTO policies VALUES (?, ?, ?)");
  for (const { id, title, text } of SEED.policies) policy.run(id, title, text);
  const rate = database.prepare("INSERT INTO rates VALUES (?, ?, ?, ?)");
  for (const { country, base, perKg, days } of SEED.rates) rate.run(country, base, perKg, days);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}

function pragma(database: DatabaseSync, name: "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row ? numberOf(row, name) : 0;
}
