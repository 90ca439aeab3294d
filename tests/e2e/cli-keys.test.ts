import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { apiKeys, readApiKeys } from "@toolbus/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

let files: Scratch;
beforeEach(() => {
  files = scratch();
});
afterEach(() => files.remove());

const keys = (...args: readonly string[]) => runProgram(TOOLBUS, ["keys", "--data", files.at("data"), ...args]);
interface Trusted {
  readonly services: Readonly<Record<string, { readonly keys: readonly { readonly kid: string }[] }>>;
}
const trusted = (): Trusted => JSON.parse(readFileSync(files.at("data", "keys", "service-keys.json"), "utf8"));
const mode = (file: string): number => statSync(file).mode & 0o777;

describe("toolbus keys", () => {
  it("creates a key for each role, says where they are and keeps them private", async () => {
    const made = await keys();
    expect(made.code).toBe(0);
    expect(made.stdout.split("\n").slice(0, 3)).toEqual(
      ["user", "operator", "approver"].map((role) => `${role.padEnd(9)} ${files.at("data", "keys", `${role}.key`)}`),
    );
    expect(made.stdout).toContain(
      `APPROVALS_SEAL_KEYS_FILE ${files.at("data", "keys", "approvals-seal-keys.json")} (needed with every backup of the store)\n`,
    );
    for (const role of ["user", "operator", "approver"]) expect(mode(files.at("data", "keys", `${role}.key`))).toBe(0o600);
  });

  it("keeps existing keys, and prints them on request", async () => {
    await keys();
    const user = readFileSync(files.at("data", "keys", "user.key"), "utf8").trim();
    expect(JSON.parse((await keys("--show", "--json")).stdout)).toMatchObject({ user: { key: user } });
    expect((await keys("--show")).stdout).toContain(`user      ${user}\n`);
    expect((await keys("--json")).stdout).not.toContain(user);
  });

  it("writes each service's hash file where only that service reads it, without any key", async () => {
    const made = await keys("--gateway-file", files.at("gateway", "keys.json"), "--approvals-file", files.at("approvals", "keys.json"));
    expect(made.code).toBe(0);
    const roles = (file: string) => JSON.parse(readFileSync(file, "utf8")).map(({ roles: [role] }: { roles: [string] }) => role);
    expect(roles(files.at("gateway", "keys.json"))).toEqual(["user", "operator"]);
    expect(roles(files.at("approvals", "keys.json"))).toEqual(["approver"]);
    expect(readFileSync(files.at("gateway", "keys.json"), "utf8")).not.toMatch(/tb_/);
    expect(mode(files.at("gateway", "keys.json"))).toBe(0o600);
  });

  it("gives a toolset its own key, and each service what it needs and nothing else", async () => {
    const give = ["gateway", "agent", "approvals", "worker", "worker.orders"].flatMap((name) => [
      "--give",
      `${name}=${files.at("given", name)}`,
    ]);
    const made = await keys("--toolsets", "orders", ...give);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const given = (service: string) => readdirSync(files.at("given", service)).toSorted();
    expect(given("gateway")).toEqual(["gateway-api-keys.json", "gateway-signing.jwk", "service-keys.json"]);
    expect(given("agent")).toEqual(["agent-signing.jwk", "service-keys.json"]);
    expect(given("approvals")).toEqual([
      "approvals-api-keys.json",
      "approvals-seal-keys.json",
      "approvals-signing.jwk",
      "service-keys.json",
    ]);
    expect(given("worker")).toEqual(["receipts-signing.jwk", "service-keys.json"]);
    expect(given("worker.orders")).toEqual(["service-keys.json", "worker.orders-signing.jwk"]);
    expect(mode(files.at("given", "agent", "agent-signing.jwk"))).toBe(0o600);
    const { services } = trusted();
    expect(Object.keys(services).toSorted()).toEqual([
      "agent",
      "approvals",
      "gateway",
      "worker.guides",
      "worker.mcp",
      "worker.operations",
      "worker.orders",
      "worker.release",
    ]);
    expect(services["worker.orders"]).not.toEqual(services["worker.release"]);
    expect(readFileSync(files.at("data", "keys", "service-keys.json"), "utf8")).not.toMatch(/"d"/);
    // The toolset that the earlier command named still has its key.
    await keys();
    expect(trusted()).toEqual({ services });
    const refused = await keys("--give", "agents=/tmp/x");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/--give needs service=folder/)]);
  });

  it("keeps the public keys of a worker that created its own", async () => {
    await keys();
    const file = files.at("data", "keys", "service-keys.json");
    const outside = { keys: trusted().services["agent"]?.keys ?? [] };
    writeFileSync(file, JSON.stringify({ services: { ...trusted().services, "worker.outside": outside } }));
    await keys();
    expect(trusted().services["worker.outside"]).toEqual(outside);
  });

  it("rotates a key: first known, then used, then alone, and refuses a step twice", async () => {
    await keys();
    const kids = (service: string) => trusted().services[service]?.keys.map(({ kid }) => kid) ?? [];
    const [old = ""] = kids("gateway");
    expect((await keys("rotate", "gateway")).stdout).toMatch(/is known, and the old one is still used[^]*toolbus .*keys rotate gateway\n$/);
    const [first, second = ""] = kids("gateway");
    expect([first, second]).toEqual([old, expect.not.stringContaining(old)]);
    const early = await keys("rotate", "gateway", "--finish");
    expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/not used yet, so the old one cannot be removed/)]);
    expect((await keys("rotate", "gateway")).stdout).toMatch(/is used from its next start on[^]*--finish\n$/);
    expect(kids("gateway")).toEqual([second, old]);
    expect((await keys("rotate", "gateway")).stderr).toMatch(/already used: end the rotation with --finish/);
    await keys("rotate", "gateway", "--finish");
    expect(kids("gateway")).toEqual([second]);
    expect(mode(files.at("data", "keys", "gateway-signing.jwk"))).toBe(0o600);
    const other = await keys("rotate", "redis");
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/"redis" has no keys to rotate/)]);
  });

  it("adds a key for certain scopes and tools to the file of a service, and refuses a duplicate name", async () => {
    const file = files.at("gateway", "keys.json");
    await keys("--gateway-file", file);
    const args = [
      "add",
      "partner",
      "--to",
      file,
      "--tenant",
      "acme",
      "--scopes",
      "payroll",
      "tools:read",
      "--tools",
      "release",
      "web/read_page",
    ];
    const made = await keys(...args);
    expect([made.code, made.stdout]).toEqual([0, `${files.at("data", "keys", "partner.key")}\n`]);
    const key = readFileSync(files.at("data", "keys", "partner.key"), "utf8").trim();
    expect([mode(files.at("data", "keys", "partner.key")), mode(file)]).toEqual([0o600, 0o600]);
    const { id, sha256, ...entry } = JSON.parse(readFileSync(file, "utf8")).at(-1);
    expect([id, sha256]).toEqual(["partner", createHash("sha256").update(key).digest("hex")]);
    expect(entry).toEqual({
      principal: "partner",
      tenant: "acme",
      roles: ["user"],
      scopes: ["payroll", "tools:read"],
      tools: ["release", "web/read_page"],
    });
    expect(apiKeys(await readApiKeys(file), () => 0).find(`Bearer ${key}`)).toMatchObject({
      id: "partner",
      tools: ["release", "web/read_page"],
    });
    const again = await keys(...args);
    expect([again.code, again.stdout]).toEqual([2, ""]);
    expect(again.stderr).toMatch(
      /^.*The key "partner" is already in .*keys\.json: choose another name, or revoke it first with "toolbus .*keys revoke partner --to .*keys\.json"\.\n$/,
    );
    const open = await keys("add", "clerk", "--to", file, "--show", "--json");
    expect(JSON.parse(open.stdout)).toMatchObject({ id: "clerk", scopes: [], key: expect.stringMatching(/^tb_user_/) });
    expect(JSON.parse(open.stdout)).not.toHaveProperty("tools");
  });

  it.each([
    [
      ["add", "partner"],
      /There is no .*gateway-api-keys\.json: start Toolbus here first, or name the hash file that the service reads with --to/,
    ],
    [["add", "partner", "--to", "f", "--expires", "soon"], /It is a time such as 30m, 12h or 7d/],
    [
      ["add", "partner", "--to", "f", "--tools", "toolset:release"],
      /--tools: "toolset:release" does not name tools: write a toolset, such as "release"/,
    ],
    [["add", "Partner Inc", "--to", "f"], /"Partner Inc" is not a valid key name/],
    [["add", "operator", "--to", "f"], /The key "operator" is made by "toolbus keys" itself/],
    [["add", "partner", "--to", "f", "--role", "king"], /king/],
    [["add", "partner", "--to", "."], /--to \. cannot be read \(EISDIR\)/],
  ])("refuses %j in one line", async (args, words) => {
    const made = await keys(...args);
    expect([made.code, made.stdout]).toEqual([2, ""]);
    expect(made.stderr.trimEnd().split("\n")).toEqual([expect.stringMatching(words)]);
  });

  it("says in one line what cannot be written", async () => {
    writeFileSync(files.at("plain"), "");
    const made = await keys("--gateway-file", files.at("plain", "keys.json"));
    expect([made.code, made.stdout]).toEqual([1, ""]);
    expect(made.stderr).toMatch(/^.*--gateway-file .*plain\/keys\.json cannot be written \(E\w+\): .*\n$/);
  });
});
