import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreRefused } from "../state-store.ts";
import { makeDurable, openDatabase } from "./open-database.ts";

describe("a database that is opened", () => {
  it("confirms that it syncs every commit to disk", async () => {
    const { connection } = await openDatabase(fileOfItsOwn(), 2);
    expect(connection.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(connection.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    await connection.close();
  });

  it("writes its log into the database at 16 MB, not at SQLite's own 4 MB", async () => {
    const { connection } = await openDatabase(fileOfItsOwn(), 2);
    expect(connection.prepare("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: 4000 });
    await connection.close();
  });

  it("is refused if SQLite keeps no write-ahead log, as for a database in memory", () => {
    using database = new DatabaseSync(":memory:");
    expect(() => makeDurable(database, "/data/state.db")).toThrow(
      new StoreRefused(
        "/data/state.db would not be synced to disk at every commit (journal mode memory, synchronous 2; it needs wal and 2): name a directory on a local disk.",
      ),
    );
  });

  it("is refused if SQLite did not apply the setting", () => {
    using database = new DatabaseSync(fileOfItsOwn());
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const deaf = { prepare: (sql: string) => database.prepare(sql), exec: () => undefined };
    expect(() => makeDurable(deaf, "/data/state.db")).toThrow(/journal mode wal, synchronous 1;/);
  });
});

function fileOfItsOwn(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "toolbus-open-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return path.join(directory, "state.db");
}
