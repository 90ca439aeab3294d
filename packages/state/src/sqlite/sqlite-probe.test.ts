import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { StoreUnavailable } from "../state-store.ts";
import { connectionTo } from "./connection.ts";
import { SCHEMA } from "./schema.ts";
import { sqliteProbe } from "./sqlite-probe.ts";

it("a probe finds a database that has no room for a change, and finds when it has room again", async () => {
  const { database, probe, file } = setup();
  database.exec("PRAGMA max_page_count = 1");
  await expect(probe()).rejects.toMatchObject({
    constructor: StoreUnavailable,
    fault: "disk",
    message: `${file} cannot be used: database or disk is full.`,
  });
  database.exec("PRAGMA max_page_count = 100000");
  await expect(probe()).resolves.toBeUndefined();
});

it("a probe finds a read-only database", async () => {
  const { database, probe } = setup();
  database.exec("PRAGMA query_only = ON");
  await expect(probe()).rejects.toMatchObject({ fault: "read-only" });
  database.exec("PRAGMA query_only = OFF");
  await expect(probe()).resolves.toBeUndefined();
});

it("a probe leaves nothing behind, not even pages", async () => {
  const { database, probe } = setup();
  await probe();
  const before = database.prepare("PRAGMA page_count").get();
  for (let probes = 0; probes < 50; probes++) await probe();
  expect(database.prepare("PRAGMA page_count").get()).toEqual(before);
  expect(database.prepare("SELECT count(*) AS blobs FROM blobs").get()).toEqual({ blobs: 0 });
});

function setup() {
  const directory = mkdtempSync(path.join(tmpdir(), "toolbus-probe-"));
  const file = path.join(directory, "state.db");
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`);
  const connection = connectionTo(database, file);
  onTestFinished(async () => {
    await connection.close();
    rmSync(directory, { recursive: true });
  });
  return { database, file, probe: sqliteProbe(connection) };
}
