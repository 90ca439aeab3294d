import { mkdtempDisposable, readFile, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../toolbus/program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";

async function setup() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "permissions-"));
  const text = (file: string): Promise<string> => readFile(path.join(folder.path, file), "utf8");
  return {
    text,
    modeOf: async (file: string) => ((await stat(path.join(folder.path, file))).mode & 0o777).toString(8),
    async make(...flags: readonly string[]) {
      const { around, said } = surroundingsUnderTest();
      const code = await runCommandLine(["permissions", "--out", folder.path, ...flags], around);
      return { code, ...said() };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const RABBITMQ = ["--bus", "amqp://guest:hidden@broker/prod?namespace=tb", "--state", "redis://me:hidden@redis/2"];

describe("permissions", () => {
  it("writes for each service a file with its own addresses and for each server a file of users; only the servers' files are without passwords", async () => {
    await using made = await setup();
    const { code, out, err } = await made.make(...RABBITMQ, "--toolsets", "release,operations,web");
    expect([code, err]).toEqual([0, expect.stringMatching(/^8 logins made, 0 kept, in /)]);
    const logins = ["gateway", "agent", "approvals", "worker-release", "worker-web", "operations", "setup", "admin"];
    const passwords = new Set<string>();
    for (const login of logins) {
      const file = await made.text(`${login}/credentials.env`);
      const [, bus = "", state = ""] =
        new RegExp(
          `^BUS_URL=amqp://tb-${login}:([\\w-]{43})@broker/prod\\?namespace=tb\nSTATE_URL=redis://tb-${login}:([\\w-]{43})@redis/2\n$`,
        ).exec(file) ?? [];
      passwords.add(bus).add(state);
      expect(await made.modeOf(`${login}/credentials.env`)).toBe("600");
    }
    expect(passwords.size).toBe(2 * logins.length);
    expect(await made.modeOf("permissions.json")).toBe("600");
    const forServers = (await made.text("redis/redis.acl")) + (await made.text("rabbitmq/rabbitmq-definitions.json"));
    for (const password of passwords) expect(out + err + forServers).not.toContain(password);
    expect(out + err + forServers + (await made.text("permissions.json"))).not.toContain("hidden");
  });

  it("keeps the passwords of existing logins, makes missing ones, and with --rotate makes all again", async () => {
    await using made = await setup();
    await made.make(...RABBITMQ, "--toolsets", "release");
    const before = await made.text("agent/credentials.env");
    const acl = await made.text("redis/redis.acl");
    expect((await made.make()).err).toMatch(/^0 logins made, 7 kept/);
    expect(await made.text("redis/redis.acl")).toBe(acl);
    expect((await made.make("--toolsets", "release,web")).err).toMatch(/^1 login made, 7 kept/);
    expect(await made.text("agent/credentials.env")).toBe(before);
    expect((await made.make("--rotate")).err).toMatch(/^8 logins made, 0 kept/);
    expect(await made.text("agent/credentials.env")).not.toBe(before);
  });

  it("writes a file of users for NATS that only the server may read, because it holds passwords", async () => {
    await using made = await setup();
    await made.make("--bus", "nats://one:4222,two:4222?replicas=3", "--state", "redis://redis", "--namespace", "shop");
    expect(await made.modeOf("nats/nats.conf")).toBe("600");
    expect(await made.text("nats/nats.conf")).toMatch(
      /^authorization \{\n {2}users: \[\n {4}\{ user: "shop-gateway", password: "[\w-]{43}", permissions: \{/,
    );
    expect(await made.text("gateway/credentials.env")).toMatch(
      /^BUS_URL='nats:\/\/shop-gateway:[\w-]{43}@one:4222,two:4222\?replicas=3&namespace=shop'\nSTATE_URL=redis:\/\/shop-gateway:[\w-]{43}@redis\?namespace=shop\n$/,
    );
  });

  it("reports with --json what was made, without passwords", async () => {
    await using made = await setup();
    const { out } = await made.make(...RABBITMQ, "--json");
    expect(JSON.parse(out)).toMatchObject({
      bus: "amqp://broker/prod?namespace=tb",
      state: "redis://redis/2",
      toolsets: ["release"],
      agents: ["default"],
      logins: expect.arrayContaining([{ name: "agent", user: "tb-agent", kept: false }]),
    });
    const [, password = ""] = /tb-agent:([^@]+)@/.exec(await made.text("agent/credentials.env")) ?? [];
    expect(out).not.toContain(password);
  });

  it("refuses to check a folder without logins, and refuses an invalid logins file", async () => {
    await using made = await setup();
    await expect(made.make("--check")).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^There are no logins in .+: make them with/),
    });
  });
});
