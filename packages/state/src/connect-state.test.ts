import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectState } from "./connect-state.ts";
import { StoreRefused, StoreUnavailable } from "./state-store.ts";

const clock = (): number => 1_700_000_000_000;

describe("connecting to the state store", () => {
  it("opens a memory store with the given clock", async () => {
    await using opened = await open("memory:");
    expect((await opened.store.read([])).now).toBe(clock());
    expect(opened.store.shards).toBe(4);
  });

  it("opens a SQLite store in the directory that it names", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "connect-state-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    await using opened = await open(`sqlite:${path.join(root, "state")}`);
    expect(opened.store.ownersDeadBefore).toBe(clock());
    expect(opened.store.shards).toBe(4);
  });

  it("reports after two seconds that it waits for a Redis, and why, without its password", async () => {
    const reported: string[] = [];
    const connecting = connectState("redis://user:secret@127.0.0.1:1", {
      clock,
      connectForMs: 2500,
      warn: (sentence) => reported.push(sentence),
    });
    await expect(connecting).rejects.toThrow(StoreUnavailable);
    expect(reported).toEqual([expect.stringMatching(/127\.0\.0\.1:1 refuses connections: .*It is retried for up to 2\.5 s\.$/)]);
    expect(reported.join("")).not.toContain("secret");
  });

  it.each([
    ["postgres://user:secret@host", '"postgres:…"'],
    ["sqlite:", '"sqlite:"'],
    ["sqlite://state", '"sqlite:…"'],
    ["redis:host", '"redis:…"'],
    ["state", '"…"'],
    ["", '""'],
  ])('refuses "%s", says what it accepts, and repeats no password', async (url, shown) => {
    await expect(connectState(url, { clock })).rejects.toThrow(
      new StoreRefused(`The state store ${shown} is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.`),
    );
  });
});

async function open(url: string) {
  const store = await connectState(url, { clock, shards: 4 });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
