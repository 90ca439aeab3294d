import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../testing/cli-under-test.ts";
import { deadLetterCases } from "../testing/dead-letter-cases.ts";
import { inMemory, onServers } from "../testing/dead-letter-places.ts";
import { deadLettersIn } from "../testing/dead-letters-under-test.ts";
import { call } from "../testing/http-client.ts";

/** An id that no dead letter has. */
const NO_LETTER = `dl_00_${"0".repeat(26)}`;

describe("dead letters on the bus in memory", () => {
  const system = deadLettersIn(() => inMemory);

  deadLetterCases(system);

  it("are listed page by page, and by their queue and state", async () => {
    const letterId = await system().given("approval.request", "{");
    const list = async (...args: string[]) => JSON.parse((await system().cli("dead-letters", "list", ...args, "--json")).stdout) as unknown;
    expect(await list("--queue", "approval.request")).toMatchObject({ deadLetters: [{ id: letterId }] });
    expect((await system().cli("dead-letters", "list", "--queue", "no.such")).stderr).toBe("No dead letters match.\n");
    const paged = await system().cli("dead-letters", "list", "--limit", "1", "--state", "open");
    expect(paged.stderr).toMatch(/^There may be more: \S*toolbus dead-letters list --limit 1 --state open --cursor \S+\n$/);
  });

  it("that somebody dismissed are no longer open, and are shown with who did it", async () => {
    const { cli, given } = system();
    const [first, second] = [await given("run.wake", "["), await given("run.wake", "]")];
    const dismissed = await cli("dead-letters", "dismiss", first, second);
    expect([dismissed.code, dismissed.stdout.split("\n").map((line) => line.replace(/^dl_\w+/, "dl"))]).toEqual([
      0,
      ["dl is dismissed, by operator:local.", "dl is dismissed, by operator:local.", ""],
    ]);
    const open = (await cli("dead-letters", "list", "--state", "open")).stdout;
    expect([open.includes(first), open.includes(second)]).toEqual([false, false]);
    expect((await cli("dead-letters", "show", first)).stdout).toMatch(/^dismissed {5}\d+ s ago, by operator:local$/m);
    await cli("dead-letters", "replay", first);
    expectRefusal(await cli("dead-letters", "dismiss", first), 1, /^Somebody has asked for its replay, so it is not open/);
  });

  it("are for operators: a user may neither see, replay nor dismiss them", async () => {
    const { cliAs, gateway, user, given, letter } = system();
    const letterId = await given("run.wake", "[]");
    for (const line of [["list"], ["show", letterId], ["replay", letterId], ["dismiss", letterId]])
      expectRefusal(await cliAs({ TOOLBUS_KEY: user }, "dead-letters", ...line), 4, /operator/);
    expect((await call(`${gateway}/v1/dead-letters`, user)).status).toBe(403);
    expect((await call(`${gateway}/v1/dead-letters/${letterId}/replay`, user, {})).status).toBe(403);
    expect(await letter(letterId)).toMatchObject({ state: "open" });
  });

  it("that do not exist, or that need a running Toolbus, are reported in one sentence", async () => {
    const { cli, cliAs } = system();
    expectRefusal(await cli("dead-letters", "show", NO_LETTER), 5, /^There is no dead letter "dl_00_0+" for this key/);
    expectRefusal(await cli("dead-letters", "replay", NO_LETTER), 5, /^There is no dead letter/);
    expectRefusal(await cliAs({ TOOLBUS_URL: "http://127.0.0.1:2" }, "dead-letters", "list"), 3, /^Nothing listens at/);
  });

  it("have help whose examples work as they are written", async () => {
    for (const command of ["list", "show", "replay", "dismiss"]) {
      const { stdout } = await system().cli("dead-letters", command, "--help");
      const examples = [...stdout.slice(stdout.indexOf("Examples:")).matchAll(/^ {2}toolbus (.+)$/gm)].map(([, line = ""]) => line);
      expect(examples.length).toBeGreaterThan(1);
      for (const line of examples) {
        const letterId = await system().given("approval.cancel", "{}");
        expect((await system().cli(...line.replace(/dl_\w+/, letterId).split(" "))).code).toBe(0);
      }
    }
  });
});

for (const [kind, name] of [
  ["rabbitmq", "RabbitMQ"],
  ["nats", "NATS JetStream"],
] as const)
  describeOnServer(kind, `dead letters on ${name}`, (broker) =>
    describeOnServer("redis", "and Redis", (redis) => deadLetterCases(deadLettersIn(() => onServers(broker(), redis())))),
  );
