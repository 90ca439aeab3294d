import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { copySqliteStore } from "../sqlite-directory.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const HEAD = "tb:sample:{00}:head";

async function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbus-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => path.join(folder, name);
  const store = await openSqliteStore({ directory: at("state") });
  let version = 0;
  const put = async (value: string) => {
    const reply = await store.commit("00", { op: value, guards: [{ key: HEAD, version }], put: [{ key: HEAD, value }] });
    version = reply.commit;
  };
  return { at, store, put, [Symbol.asyncDispose]: () => store.close() };
}

async function valueIn(directory: string): Promise<unknown> {
  const store = await openSqliteStore({ directory });
  const { documents } = await store.read([HEAD]);
  await store.close();
  return documents[0]?.value;
}

describe("a copy of a SQLite store that is in use", () => {
  it("has every commit so far and none of later, and the store continues", async () => {
    await using t = await setup();
    await t.put("before");
    await copySqliteStore({ from: t.at("state"), to: t.at("copy") });
    await t.put("after");
    expect(await valueIn(t.at("copy"))).toBe("before");
    expect((await t.store.read([HEAD])).documents[0]?.value).toBe("after");
  });

  it("has nothing of a commit that another process is about to make", async () => {
    await using t = await setup();
    await t.put("before");
    using writer = new DatabaseSync(path.join(t.at("state"), "state.db"));
    writer.exec(`BEGIN IMMEDIATE; UPDATE documents SET value = '"half"' WHERE key = '${HEAD}'`);
    await copySqliteStore({ from: t.at("state"), to: t.at("copy") });
    writer.exec("ROLLBACK");
    expect(await valueIn(t.at("copy"))).toBe("before");
  });

  it("is one file, which only this user can read", async () => {
    await using t = await setup();
    await copySqliteStore({ from: t.at("state"), to: t.at("copy") });
    expect(readdirSync(t.at("copy"))).toEqual(["state.db"]);
    expect([statSync(t.at("copy")).mode & 0o777, statSync(path.join(t.at("copy"), "state.db")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("is refused where there is no store, or where the target has one", async () => {
    await using t = await setup();
    await expect(copySqliteStore({ from: t.at("none"), to: t.at("copy") })).rejects.toThrow(/^There is no store in .*none: name/);
    await copySqliteStore({ from: t.at("state"), to: t.at("copy") });
    await expect(copySqliteStore({ from: t.at("state"), to: t.at("copy") })).rejects.toThrow(/^There is a store in .*copy already/);
  });

  it("is refused for a file that is no database, and leaves no copy of it", async () => {
    await using t = await setup();
    const foreign = t.at("foreign");
    await copySqliteStore({ from: t.at("state"), to: foreign });
    writeFileSync(path.join(foreign, "state.db"), "a letter".repeat(1000));
    await expect(copySqliteStore({ from: foreign, to: t.at("copy") })).rejects.toThrow(/is not a SQLite database/);
    expect(readdirSync(t.at("copy"))).toEqual([]);
  });
});
