import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ApiKey } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchedApiKeys } from "./watched-api-keys.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-keys-"));
  file = path.join(dir, "keys.json");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id,
  sha256: createHash("sha256").update(`key-${id}`).digest("hex"),
  principal: id,
  tenant: "acme",
  roles: ["approver"],
  scopes: [],
  ...more,
});

describe("a file of API keys", () => {
  it("is read again when it has changed: added keys work, removed ones do not", async () => {
    using t = await setup([key("ana")]);
    expect([t.may("ana"), t.may("bo")]).toEqual([true, false]);
    write([key("ana"), key("bo")]);
    expect(await t.tells()).toBe("the API keys were read again");
    expect([t.may("ana"), t.may("bo")]).toEqual([true, true]);
    write([key("bo")]);
    expect(await t.tells()).toBe("the API keys were read again");
    expect([t.may("ana"), t.may("bo"), t.keys.named("ana"), t.keys.named("bo")?.keyId]).toEqual([false, true, null, "bo"]);
  });

  it("that breaks or disappears changes nothing, which is reported once, and counts again when it is valid", async () => {
    using t = await setup([key("ana")]);
    for (const breaks of [() => writeFileSync(file, "[{"), () => rmSync(file)]) {
      breaks();
      expect(await t.tells()).toBe("the API keys were not read again; the former keys stay in use");
      expect(t.may("ana")).toBe(true);
      expect(t.keys.warnings()).toEqual([
        expect.stringMatching(/^The file of API keys was changed and cannot be used, so the former keys stay in use/),
      ]);
    }
    write([key("bo")]);
    expect(await t.tells()).toBe("the API keys were read again");
    expect(t.keys.warnings()).toEqual([]);
    expect([t.may("ana"), t.may("bo")]).toEqual([false, true]);
  });

  it("lets nobody in with a key that has expired", async () => {
    using t = await setup([key("ana", { expiresAt: 1000 }), key("bo")]);
    expect([t.may("ana"), t.keys.named("ana")?.keyId]).toEqual([true, "ana"]);
    t.clock.now = 1000;
    expect([t.may("ana"), t.keys.named("ana"), t.may("bo")]).toEqual([false, null, true]);
  });

  it("is refused at the start if it cannot be used", async () => {
    await expect(watchedApiKeys(file, { log: silentLog, clock: () => 0 })).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });
});

/** Writes the file atomically, as a careful writer does. */
function write(keys: readonly ApiKey[]): void {
  writeFileSync(`${file}.draft`, JSON.stringify(keys));
  renameSync(`${file}.draft`, file);
}

async function setup(first: readonly ApiKey[]) {
  write(first);
  let next = Promise.withResolvers<string>();
  const tell = (_fields: object, message: string): void => next.resolve(message);
  const clock = { now: 0 };
  const keys = await watchedApiKeys(file, { log: { ...silentLog, info: tell, error: tell }, clock: () => clock.now, everyMs: 5 });
  return {
    keys,
    clock,
    may: (id: string) => keys.find(`Bearer key-${id}`) !== null,
    /** Returns the next log message of the watch. */
    async tells(): Promise<string> {
      const message = await next.promise;
      next = Promise.withResolvers();
      return message;
    },
    [Symbol.dispose]: () => keys.stop(),
  };
}
