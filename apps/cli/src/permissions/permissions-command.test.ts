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
    key: (role: string): Promise<string> => text(`data/keys/${role}.key`),
    async make(...flags: readonly string[]) {
      const { around, said } = surroundingsUnderTest();
      const code = await runCommandLine(["permissions", "--out", folder.path, "--data", path.join(folder.path, "data"), ...flags], around);
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

  it("prints with --kubernetes one Secret for each login, each with its own login and keys and no other, and no key of a person", async () => {
    await using made = await setup();
    const first = await made.make(...RABBITMQ, "--toolsets", "release,mcp", "--kubernetes", "--json");
    const { items } = JSON.parse(first.out) as { items: { metadata: { name: string }; stringData: Record<string, string> }[] };
    const secrets = new Map(items.map(({ metadata, stringData }) => [metadata.name, stringData]));
    expect(Object.fromEntries([...secrets].map(([name, data]) => [name, Object.keys(data)]))).toEqual({
      "toolbus-gateway": ["BUS_URL", "STATE_URL", "gateway-signing.jwk", "gateway-api-keys.json", "service-keys.json"],
      "toolbus-agent": ["BUS_URL", "STATE_URL", "agent-signing.jwk", "service-keys.json"],
      "toolbus-approvals": [
        "BUS_URL",
        "STATE_URL",
        "approvals-signing.jwk",
        "approvals-seal-keys.json",
        "approvals-api-keys.json",
        "service-keys.json",
      ],
      "toolbus-worker-release": ["BUS_URL", "STATE_URL", "worker.release-signing.jwk", "service-keys.json"],
      "toolbus-worker-mcp": ["BUS_URL", "STATE_URL", "worker.mcp-signing.jwk", "service-keys.json"],
      "toolbus-worker-operations": ["BUS_URL", "STATE_URL", "worker.operations-signing.jwk", "service-keys.json"],
      "toolbus-setup": ["permissions.json"],
      "toolbus-redis": ["redis.acl"],
      "toolbus-rabbitmq": ["rabbitmq-definitions.json"],
    });
    const login = (name: string): string => /:([\w-]{43})@/.exec(secrets.get(name)?.["BUS_URL"] ?? "")?.[1] ?? "none";
    for (const [name, data] of secrets)
      for (const other of secrets.keys()) if (other !== name) expect(Object.values(data).join("\n")).not.toContain(login(other));
    expect(Object.keys((JSON.parse(secrets.get("toolbus-setup")?.["permissions.json"] ?? "{}") as { logins: object }).logins)).toEqual([
      "setup",
    ]);
    for (const role of ["user", "operator", "approver"]) expect(first.out).not.toContain((await made.key(role)).trim());
    const again = await made.make("--kubernetes", "--json");
    expect(again.out).toBe(first.out);
  });

  it("prints the Secrets as YAML, and not on a terminal", async () => {
    await using made = await setup();
    const { out } = await made.make("--kubernetes");
    expect(out).toMatch(/^---\napiVersion: v1\nkind: Secret\nmetadata:\n {2}name: toolbus-gateway\n/);
    expect(out).toContain("@rabbitmq:5672");
    await expect(made.make("--kubernetes", "--set-up")).rejects.toMatchObject({ exitCode: 2 });
    const { around } = surroundingsUnderTest();
    const atTerminal = { ...around, stdout: Object.assign(Object.create(around.stdout), { isTTY: true }) as NodeJS.WriteStream };
    await expect(runCommandLine(["permissions", "--kubernetes"], atTerminal)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("kubectl apply -f -"),
    });
  });
});
