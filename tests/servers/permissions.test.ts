import { checkPermissions } from "@toolbus/runtime";
import { connectState } from "@toolbus/state";
import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Wrong versions of the agent's rights: with one right too many, and with one right too few. */
const WRONG = {
  rabbitmq: (text: string) =>
    text
      // The additional right is to publish decisions, which only another service may publish.
      .replaceAll('"^(run\\\\.wake|approval\\\\.request|', '"^(run\\\\.wake|approval\\\\.decided\\\\.default|approval\\\\.request|')
      .replaceAll("|queue\\\\.approval\\\\.held\\\\.default", ""),
  nats: (text: string) =>
    text
      .replace(/(user: "toolbus-agent".*?publish: \{ allow: \[\n)/s, '$1          "toolbus-check.approval.approval.decided.default"\n')
      .replace(
        /(user: "toolbus-agent".*?)\n *"\$JS\.API\.CONSUMER\.MSG\.NEXT\.TOOLBUS-CHECK_APPROVAL\.toolbus-check_approval_held_default"/s,
        "$1",
      ),
  redis: (text: string) =>
    text.replace(/^(user toolbus-agent .*?)~tb:call:\{\*\}:\*/m, "$1~tb:approval:{*}:* +config|set %R~tb:call:{*}:*"),
};

describe.each(["rabbitmq", "nats"] as const)("the logins for %s and Redis", (kind) => {
  let servers: ServersWithLogins;
  beforeAll(async () => {
    servers = await startServersWithLogins(kind);
  });
  afterAll(() => servers?.remove());

  it("may do what their services do, and nothing else", async () => {
    const checks = await checkPermissions(servers.plan);
    console.log(
      checks
        .map(
          ({ login, server, tried, refused, allowed }) =>
            `${kind}: ${login} (${server}): ${tried} tried, ${refused} refused, ${allowed} allowed`,
        )
        .join("\n"),
    );
    expect(checks.flatMap(({ login, server, deviations }) => deviations.map((what) => `${login} (${server}) ${what}`))).toEqual([]);
    expect(checks.every(({ refused, allowed }) => refused > 100 && allowed > 0)).toBe(true);
  });

  it("lose no commit when Redis is killed and reads its file again", async () => {
    const [here, key] = ["00", "tb:inbox:{00}:kept"] as const;
    const state = await connectState(servers.addressesOf("gateway").stateUrl, { clock: () => 0 });
    try {
      const put = [{ key, value: { kept: true } }];
      expect(await state.commit(here, { op: "keep", guards: [{ key, version: 0 }], put })).toMatchObject({ outcome: "ok" });
      await servers.redis.kill();
      await servers.redis.start();
      await expect
        .poll(() => state.read([key]).then(({ documents }) => documents, String), { timeout: 20_000 })
        .toMatchObject([{ value: { kept: true } }]);
    } finally {
      await state.close();
    }
  });

  it("leave nothing of the scratch namespace behind, and can be set up and checked again", async () => {
    const setup = servers.addressesOf("setup").busUrl;
    expect(setup).toContain("toolbus-setup");
    expect((await checkPermissions(servers.plan)).flatMap(({ deviations }) => deviations)).toEqual([]);
  });
});

describe.each(["rabbitmq", "nats"] as const)("a check of a login with a right too many and one too few, on %s and Redis", (kind) => {
  it("reports both on each server", async () => {
    await using servers = await startServersWithLogins(kind, { alter: ({ server, text }) => WRONG[server](text) });
    const checks = await checkPermissions(servers.plan);
    const found = checks.flatMap(({ login, server, deviations }) => deviations.map((what) => `${login} (${server}) ${what}`));
    expect(found).toEqual(
      expect.arrayContaining([
        "agent (broker) may publish approval.decided.default, and should not",
        `agent (broker) may not ${kind === "nats" ? "take from" : "consume"} approval.held.default, and should`,
        expect.stringMatching(/^agent \(store\) may write approval permissions-check, and should not$/),
        expect.stringMatching(/^agent \(store\) may not write call permissions-check, and should$/),
        "agent (store) may CONFIG SET permissions-check x, and should not",
      ]),
    );
    expect(found.filter((what) => !what.startsWith("agent "))).toEqual([]);
  });
});
