import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeStateStore } from "../conformance/index.ts";
import { type Change, type StateStore, StoreRefused, StoreUnavailable } from "../state-store.ts";
import { openSqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";

for (const lock of ["exclusive", "none"] as const) {
  describeStateStore(`sqlite, lock ${lock}`, {
    async open() {
      const { open, advance } = setup();
      return { store: await open({ lock }), advance, reopen: () => open({ lock }) };
    },
    features: { durable: true },
  });
}

const KEY = "tb:sample:{00}:a";
const LOG = "tb:sample:{00}:log";

describe("the data directory", () => {
  it("is made for this user only, and so are its files", async () => {
    const { open, directory } = setup("below/it");
    await open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory))
      expect(`${name} ${(statSync(path.join(directory, name)).mode & 0o777).toString(8)}`).toBe(`${name} 600`);
  });

  it("is refused to a second store until the first is closed", async () => {
    const { open, directory } = setup();
    const first = await open();
    await expect(open()).rejects.toThrow(
      new StoreRefused(`The state in ${directory} is in use by another process: stop that one or name another directory.`),
    );
    await commit(first, { put: [{ key: KEY, value: 1 }] });
    await first.close();
    expect((await (await open()).read([KEY])).documents[0]?.value).toBe(1);
  });

  it("releases its lock if the database is refused", async () => {
    const { open } = setup();
    await (await open({ shards: 4 })).close();
    await expect(open({ shards: 8 })).rejects.toThrow(StoreRefused);
    expect((await open()).shards).toBe(4);
  });

  it("is refused if it cannot be created", async () => {
    const { directory } = setup();
    writeFileSync(path.join(directory, "file"), "");
    await expect(openSqliteStore({ directory: path.join(directory, "file", "below") })).rejects.toThrow(/cannot be created/);
  });
});

describe("the database", () => {
  it("keeps the number of shards of its first start and refuses another", async () => {
    const { open, file } = setup();
    await (await open({ shards: 4 })).close();
    await expect(open({ shards: 16 })).rejects.toThrow(
      new StoreRefused(`${file} has 4 shards, fixed at its first start, not 16: ask for 4 or name another directory.`),
    );
    expect((await open({ shards: 4 })).shards).toBe(4);
  });

  it("is refused, and left unchanged, if the file is not a database", async () => {
    const { open, file } = setup();
    const text = "notes, not a database\n".repeat(100);
    writeFileSync(file, text);
    await expect(open()).rejects.toThrow(
      new StoreRefused(`${file} is not a SQLite database: move it away or name another directory. It was left as it is.`),
    );
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("is refused, and left unchanged, if it belongs to another application", async () => {
    const { open, file } = setup();
    editDatabase(file, "CREATE TABLE notes (text TEXT)");
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(
      new StoreRefused(`${file} is another application's database: move it away or name another directory. It was left as it is.`),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("is refused if it has another schema version", async () => {
    const { open, file } = setup();
    await (await open()).close();
    editDatabase(file, "PRAGMA user_version = 7");
    await expect(open()).rejects.toThrow(
      new StoreRefused(`${file} has schema version 7, this program reads 1: start the version that wrote it or name another directory.`),
    );
  });

  it("is created again in a file that is still empty, as a killed start leaves it", async () => {
    const { open, file } = setup();
    editDatabase(file, "PRAGMA journal_mode = WAL");
    expect((await open()).shards).toBe(16);
  });

  it("is refused if it is damaged", async () => {
    const { open, file } = setup();
    const store = await open();
    await commit(store, { put: [{ key: KEY, value: "x".repeat(60_000) }] });
    await store.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 100));
    await expect(open().then((again) => again.read([KEY]))).rejects.toThrow(StoreRefused);
  });

  it("reports a damaged blob", async () => {
    const { open, file } = setup();
    const store = await open();
    const hash = await store.putBlob(Buffer.from("bytes"));
    editDatabase(file, "UPDATE blobs SET bytes = x'00'");
    await expect(store.getBlob(hash)).rejects.toThrow(`Blob ${hash} in ${file} is damaged`);
  });
});

describe("an exclusive start", () => {
  it("knows that every earlier owner is dead, and makes timers and messages due at once", async () => {
    const { open, advance } = setup();
    const first = await open();
    await commit(first, {
      put: [{ key: KEY, value: 1 }],
      timers: [{ service: "s", id: "t", dueIn: 60_000 }],
      outbox: [{ service: "s", id: "m", topic: "t", message: 1, dueIn: 60_000 }],
    });
    const { now } = await first.read([]);
    await first.close();
    advance(5);
    const store = await open();
    expect(store.ownersDeadBefore).toBe(now + 5);
    expect(await store.claim("s", "timer", { limit: 10, visibleAfter: 1000 })).toEqual([{ shard: "00", id: "t", due: now + 5 }]);
    expect(await store.claim("s", "outbox", { limit: 10, visibleAfter: 1000 })).toMatchObject([{ id: "m", due: now + 5 }]);
  });

  it("is distinguished from a shared one, which knows nothing about others", async () => {
    const { open } = setup();
    expect((await open({ lock: "none" })).ownersDeadBefore).toBe(0);
  });
});

describe("stores that share a directory", () => {
  it("count up one document together without losing a step", async () => {
    const { open } = setup();
    const stores = await Promise.all([open({ lock: "none" }), open({ lock: "none" }), open({ lock: "none" })]);
    await Promise.all(stores.map((store, n) => countUp(store, n, 30)));
    expect((await stores[0].read([KEY])).documents[0]?.value).toBe(90);
  });

  it("report a gap to a follower when another store has written", async () => {
    const { open } = setup();
    const [reader, writer] = [await open({ lock: "none" }), await open({ lock: "none" })];
    const next = reader.follow({ signal: new AbortController().signal })[Symbol.asyncIterator]().next();
    await commit(writer, { put: [{ key: KEY, value: 1 }], append: [{ log: LOG, entries: [1] }] });
    expect((await next).value).toEqual({ kind: "gap" });
  });

  it("wait for a busy one without blocking the event loop, and give up in the end", async () => {
    const { open, file } = setup();
    const store = await open({ lock: "none" });
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const counting = setInterval(() => turns++, 10);
    await expect(commit(store, { put: [{ key: KEY, value: 1 }] })).rejects.toThrow(StoreUnavailable);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(20);

    const waiting = commit(store, { op: "patient", put: [{ key: KEY, value: 2 }] });
    other.exec("ROLLBACK");
    expect((await waiting).outcome).toBe("ok");
  });

  it("wait at close for pending operations", async () => {
    const { open, file } = setup();
    const store = await open({ lock: "none" });
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const waiting = commit(store, { put: [{ key: KEY, value: 1 }] });
    const closing = store.close();
    other.exec("ROLLBACK");
    expect((await waiting).outcome).toBe("ok");
    await closing;
  });
});

describe("sweeping", () => {
  it("deletes expired documents and logs some time later, a batch at a time", async () => {
    const { open, advance, file } = setup();
    const store = await open();
    const { now } = await store.read([]);
    const entries = Array.from({ length: 450 }, (_, n) => n);
    await commit(store, { put: [{ key: KEY, value: 1, expiresAt: now + 1000 }], append: [{ log: LOG, entries, expiresAt: now + 1000 }] });
    advance(3_600_000);
    const left: number[] = [];
    for (let n = 0; n < 4; n++) {
      await commit(store, {
        op: `touch ${n}`,
        guards: [{ key: `tb:sample:{00}:${n}`, version: 0 }],
        put: [{ key: `tb:sample:{00}:${n}`, value: n }],
      });
      left.push(rowsOf(file, "entries"));
    }
    expect(left).toEqual([250, 50, 0, 0]);
    expect(rowsOf(file, "logs")).toBe(0);
    expect(rowsOf(file, "documents")).toBe(4);
  });
});

describe("messages that were published", () => {
  const outbox = [{ service: "s", id: "m", topic: "t", message: 1, dueIn: 10 }];

  it("are removed from the file with the next change, and are not due meanwhile", async () => {
    const { open, file, advance } = setup();
    const store = await open();
    await commit(store, { put: [{ key: KEY, value: 1 }], outbox });
    await store.settle("s", [{ shard: "00", id: "m" }]);
    expect(rowsOf(file, "outbox")).toBe(1);
    advance(20);
    expect(await store.claim("s", "outbox", { limit: 10, visibleAfter: 0 })).toEqual([]);
    expect(rowsOf(file, "outbox")).toBe(0);
  });

  it("do not take along a message that the next change puts under the same name", async () => {
    const { open, advance } = setup();
    const store = await open();
    const { commit: version } = await commit(store, { put: [{ key: KEY, value: 1 }], outbox });
    await store.settle("s", [{ shard: "00", id: "m" }]);
    await commit(store, { op: "o2", guards: [{ key: KEY, version }], outbox: outbox.map((row) => ({ ...row, message: 2 })) });
    advance(20);
    expect(await store.claim("s", "outbox", { limit: 10, visibleAfter: 0 })).toMatchObject([{ id: "m", message: 2 }]);
  });
});

/** Makes a directory for stores, with control over their clock. Every store that is opened in it is closed at the end. */
function setup(below = ".") {
  const root = mkdtempSync(path.join(tmpdir(), "state-store-"));
  const directory = path.join(root, below);
  const stores: StateStore[] = [];
  let now = 1_700_000_000_000;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    rmSync(root, { recursive: true });
  });
  return {
    directory,
    file: path.join(directory, "state.db"),
    advance: (ms: number) => void (now += ms),
    async open(options: Partial<SqliteStoreOptions> = {}): Promise<StateStore> {
      const store = await openSqliteStore({ directory, clock: () => now, ...options });
      stores.push(store);
      return store;
    },
  };
}

function commit(store: StateStore, change: Partial<Change>) {
  return store.commit("00", { op: "o", guards: [{ key: KEY, version: 0 }], ...change });
}

async function countUp(store: StateStore, writer: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds;) {
    const document = (await store.read([KEY])).documents[0];
    const count = (typeof document?.value === "number" ? document.value : 0) + 1;
    // Gives the other writers time to write between the decision and the commit.
    await new Promise(setImmediate);
    const guards = [{ key: KEY, version: document?.version ?? 0 }];
    const { outcome } = await store.commit("00", { op: `${writer}.${round} to ${count}`, guards, put: [{ key: KEY, value: count }] });
    if (outcome === "ok") round++;
  }
}

function editDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function rowsOf(file: string, table: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
  database.close();
  return Number(row?.["rows"]);
}
