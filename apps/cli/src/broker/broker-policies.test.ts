import { describe, expect, it } from "vitest";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";

const RABBITMQ = "amqp://me:secret@broker/prod%20eu?namespace=tb";

async function policies(url: string, ...flags: readonly string[]) {
  const { around, said } = surroundingsUnderTest({ BUS_URL: url });
  const code = await runCommandLine(["broker", "policies", ...flags], around);
  const { out, err } = said();
  expect(out + err).not.toContain("secret");
  return { code, out, err };
}

async function documentOf(url: string, ...flags: readonly string[]): Promise<object> {
  return JSON.parse((await policies(url, "--json", ...flags)).out);
}

describe("broker policies", () => {
  it("prints one shell line for each RabbitMQ policy, for the namespace and the virtual host of its URL, and nothing else", async () => {
    const { code, out, err } = await policies(RABBITMQ);
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toEqual(
      ["tb-queues", "tb-dead", "tb-listeners"].map((name): unknown =>
        expect.stringMatching(
          new RegExp(`^rabbitmqctl set_policy --vhost 'prod eu' --apply-to queues --priority 10 '${name}' '\\^tb\\\\\\.`),
        ),
      ),
    );
    expect(err).toMatch(/^Run these where rabbitmqctl reaches the broker\./);
  });

  it("prints them as a definitions file with --json", async () => {
    expect(await documentOf(RABBITMQ)).toEqual({
      broker: "rabbitmq",
      namespace: "tb",
      vhost: "prod eu",
      policies: ["tb-queues", "tb-dead", "tb-listeners"].map((name) => ({
        vhost: "prod eu",
        name,
        pattern: expect.stringMatching(/^\^tb\\\./),
        "apply-to": "queues",
        priority: 10,
        definition: expect.objectContaining({ "max-length": expect.any(Number) }),
      })),
      commands: [expect.any(String), expect.any(String), expect.any(String)],
    });
  });

  it("prints the NATS streams with their limits, and that no operator has to set them", async () => {
    const url = "nats://me:secret@one:4222,two:4222?namespace=tb&replicas=3&max-bytes=1048576";
    const { code, out, err } = await policies(url);
    const [sentence, ...lines] = out.trimEnd().split("\n");
    expect([code, err, sentence]).toEqual([0, "", expect.stringMatching(/there is nothing for an operator to set\.$/)]);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["STREAM", "AT MOST", "REPLICAS", "SUBJECTS"],
      ...["invoke", "reply", "approval", "work", "dead"].map((kind) => [`TB_${kind.toUpperCase()}`, "1 MiB", "3", `tb.${kind}.>`]),
    ]);
    expect(await documentOf(url)).toMatchObject({
      broker: "nats",
      namespace: "tb",
      streams: [{ name: "TB_INVOKE", retention: "workqueue", max_bytes: 1_048_576, num_replicas: 3 }, {}, {}, {}, {}],
    });
  });

  it("says that the bus in memory has no broker", async () => {
    expect(await policies("memory:")).toEqual({
      code: 0,
      out: expect.stringMatching(/there is no broker, and nothing to set\.\n$/),
      err: "",
    });
    expect(await documentOf("memory:")).toEqual({ broker: "memory" });
  });

  it("prefers the URL of --bus to that of the environment", async () => {
    expect((await policies("memory:", "--bus", RABBITMQ)).out).toContain("rabbitmqctl");
  });
});

describe("broker policies --check", () => {
  /** Starts a management plugin that reports the given policies. */
  async function plugin(answer: unknown) {
    const server = await serverUnderTest((_request, response) => sendJson(response, answer));
    return {
      server,
      url: `${RABBITMQ}&management=${encodeURIComponent(server.url)}`,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  it("exits with 0 when all policies are set, asking with the URL's own login", async () => {
    const set = await documentOf(RABBITMQ);
    await using t = await plugin("policies" in set ? set.policies : []);
    expect(await policies(t.url, "--check")).toEqual({ code: 0, out: "Every policy is set as it should be.\n", err: "" });
    expect(t.server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/api/policies/prod%20eu", `Basic ${btoa("me:secret")}`],
    ]);
    expect(await documentOf(t.url, "--check")).toEqual({ broker: "rabbitmq", ok: true, differences: [] });
  });

  it("exits with 1 and one line for each difference", async () => {
    await using t = await plugin([]);
    const missing = ["tb-queues", "tb-dead", "tb-listeners"].map((name) => `Policy "${name}" is not set.`);
    expect(await policies(t.url, "--check")).toEqual({ code: 1, out: missing.map((line) => `${line}\n`).join(""), err: "" });
    expect(await documentOf(t.url, "--check")).toEqual({ broker: "rabbitmq", ok: false, differences: missing });
  });

  it("exits with 1 when the plugin does not answer", async () => {
    const { url, server } = await plugin([]);
    await server[Symbol.asyncDispose]();
    expect(await policies(url, "--check")).toMatchObject({ code: 1, out: expect.stringMatching(/^The policies could not be checked: /) });
  });

  it("stops waiting for the plugin on Ctrl-C", async () => {
    const { around } = surroundingsUnderTest();
    await using server = await serverUnderTest(() => around.interrupts.press());
    const url = `${RABBITMQ}&management=${encodeURIComponent(server.url)}`;
    await expect(runCommandLine(["broker", "policies", "--check", "--bus", url], around)).rejects.toMatchObject({ exitCode: 130 });
  });

  it.each(["nats://me:secret@broker:4222", "memory:"])("has nothing to compare on %s", async (url) => {
    expect(await policies(url, "--check")).toMatchObject({ code: 0, out: expect.stringMatching(/nothing .*to set\.\n$/) });
  });
});
