import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./cli-under-test.ts";
import { runProgram } from "./program.ts";
import { scratch, type Scratch } from "./scratch.ts";

let files: Scratch;
beforeEach(() => {
  files = scratch();
});
afterEach(() => files.remove());

const keys = (...args: readonly string[]) => runProgram(TOOLBUS, ["keys", "--data", files.at("data"), ...args]);
const mode = (file: string): number => statSync(file).mode & 0o777;

describe("toolbus keys", () => {
  it("makes a key for each role, says where they are and keeps them to itself", async () => {
    const made = await keys();
    expect(made.code).toBe(0);
    expect(made.stdout.trimEnd().split("\n")).toEqual(
      ["user", "operator", "approver"].map((role) => `${role.padEnd(9)} ${files.at("data", "keys", `${role}.key`)}`),
    );
    for (const role of ["user", "operator", "approver"]) expect(mode(files.at("data", "keys", `${role}.key`))).toBe(0o600);
  });

  it("keeps the keys that are there, and prints them when it is asked to", async () => {
    await keys();
    const user = readFileSync(files.at("data", "keys", "user.key"), "utf8").trim();
    expect(JSON.parse((await keys("--show", "--json")).stdout)).toMatchObject({ user: { key: user } });
    expect((await keys("--show")).stdout).toContain(`user      ${user}\n`);
    expect((await keys("--json")).stdout).not.toContain(user);
  });

  it("writes each service's file of hashes where that service alone reads it, and no key into it", async () => {
    const made = await keys("--gateway-file", files.at("gateway", "keys.json"), "--approvals-file", files.at("approvals", "keys.json"));
    expect(made.code).toBe(0);
    const roles = (file: string) => JSON.parse(readFileSync(file, "utf8")).map(({ roles: [role] }: { roles: [string] }) => role);
    expect(roles(files.at("gateway", "keys.json"))).toEqual(["user", "operator"]);
    expect(roles(files.at("approvals", "keys.json"))).toEqual(["approver"]);
    expect(readFileSync(files.at("gateway", "keys.json"), "utf8")).not.toMatch(/tb_/);
    expect(mode(files.at("gateway", "keys.json"))).toBe(0o600);
  });

  it("says in one line what cannot be written", async () => {
    writeFileSync(files.at("plain"), "");
    const made = await keys("--gateway-file", files.at("plain", "keys.json"));
    expect([made.code, made.stdout]).toEqual([1, ""]);
    expect(made.stderr).toMatch(/^.*--gateway-file .*plain\/keys\.json cannot be written \(E\w+\): .*\n$/);
  });
});
