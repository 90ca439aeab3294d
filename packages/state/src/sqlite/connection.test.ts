import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailable } from "../state-store.ts";
import { connectionTo } from "./connection.ts";

describe("work that can wait for the next sync to disk", () => {
  it("is done first in the next write, and not before it", async () => {
    const { connection, values } = setup();
    connection.soon(() => connection.prepare("INSERT INTO t VALUES ('soon')").run());
    expect(values()).toEqual([]);
    await connection.write(() => connection.prepare("INSERT INTO t VALUES ('write')").run());
    expect(values()).toEqual(["soon", "write"]);
  });

  it("is done once, alone if nothing else is written", async () => {
    const { connection, values } = setup();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    connection.soon(() => connection.prepare("INSERT INTO t VALUES ('soon')").run());
    await vi.advanceTimersByTimeAsync(99);
    expect(values()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(values()).toEqual(["soon"]);
    await connection.write(() => {});
    expect(values()).toEqual(["soon"]);
  });

  it("is done with a later write if its own was rolled back", async () => {
    const { connection, values } = setup();
    connection.soon(() => connection.prepare("INSERT INTO t VALUES ('soon')").run());
    const failing = connection.write(() => {
      throw new Error("broken");
    });
    await expect(failing).rejects.toThrow("broken");
    expect(values()).toEqual([]);
    await connection.write(() => {});
    expect(values()).toEqual(["soon"]);
  });

  it("is done when the connection is closed, and refused after that", async () => {
    const { connection, values } = setup();
    connection.soon(() => connection.prepare("INSERT INTO t VALUES ('soon')").run());
    await connection.close();
    expect(values()).toEqual(["soon"]);
    expect(() => connection.soon(() => {})).toThrow(new StoreUnavailable("The state store is closed."));
  });
});

/** Makes a connection to a database with one table, and a second view of the committed rows. */
function setup() {
  const directory = mkdtempSync(path.join(tmpdir(), "connection-"));
  const file = path.join(directory, "state.db");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (value TEXT)");
  const connection = connectionTo(database, file);
  const reader = new DatabaseSync(file, { readOnly: true });
  onTestFinished(async () => {
    await connection.close();
    reader.close();
    rmSync(directory, { recursive: true });
  });
  const all = reader.prepare("SELECT value FROM t ORDER BY rowid");
  return { connection, values: () => all.all().map(({ value }) => value) };
}
