import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { TOOLBUS } from "../e2e/testing/cli-under-test.ts";
import { runProgram } from "../e2e/testing/program.ts";
import { redisClient } from "./redis-client.ts";

interface Found {
  readonly name: string;
  readonly level: string;
  readonly message: string;
  readonly fix?: string;
}

describeOnPrivateServer("redis", "toolbus doctor with the store that STATE_URL names", (server) => {
  it("fails if no service would start with it, warns of what a power cut may lose, and passes if everything is kept", async () => {
    await using client = await redisClient(server().url);
    const set = (name: string, value: string) => client.ask("CONFIG", "SET", name, value);
    await set("appendonly", "no");
    await set("maxmemory-policy", "allkeys-lru");
    const [lost] = await store(server().url);
    expect(lost).toMatchObject({ level: "fail", fix: expect.stringMatching(/^Nothing starts with this store\. docs\/operations\.md/) });
    expect(lost?.message).toMatch(/keeps no append-only file and removes keys when memory is full.*CONFIG SET appendonly yes/);
    expect(await store(`${server().url}?durability=relaxed`)).toMatchObject([
      { level: "warn", message: lost?.message.replace(/, or allow it.*$/, ".") },
    ]);

    await set("maxmemory-policy", "noeviction");
    await set("appendonly", "yes");
    await set("appendfsync", "everysec");
    expect(await store(server().url)).toMatchObject([
      { level: "warn", message: expect.stringContaining("appendfsync everysec: a power cut may take") },
    ]);
    await set("appendfsync", "always");
    expect(await store(server().url)).toMatchObject([{ level: "ok", message: expect.stringContaining("keeps what it acknowledges") }]);
  });
});

describeOnPrivateServer("redis", "toolbus doctor with a STATE_URL that does not work", (server) => {
  it("names user and password if the store refuses the login, and the address if no store answers", async () => {
    const wrong = server().url.replace("redis://", "redis://x:hunter2@");
    const found = await store(wrong);
    expect(found).toMatchObject([
      {
        level: "fail",
        message: expect.stringContaining("refuses the login"),
        fix: "Nothing starts with this store. Correct the user and the password in STATE_URL.",
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
    expect(await store("redis://127.0.0.1:9")).toMatchObject([
      { level: "fail", fix: "Nothing starts with this store. Correct the address in STATE_URL, or start the store." },
    ]);
  });
});

async function store(url: string): Promise<readonly Found[]> {
  const addresses = { TOOLBUS_URL: "http://127.0.0.1:9", TOOLBUS_APPROVALS_URL: "http://127.0.0.1:9" };
  const { stdout } = await runProgram(TOOLBUS, ["doctor", "--json"], { env: { ...addresses, STATE_URL: url } });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Found[] };
  return checks.filter(({ name }) => name === "store");
}
