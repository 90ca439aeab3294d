import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { TOOLBUS } from "../e2e/testing/cli-under-test.ts";
import { runProgram } from "../e2e/testing/program.ts";

describeOnServer("rabbitmq", "toolbus doctor with the RabbitMQ that BUS_URL names", (server) => {
  it("passes if it accepts the login, and fails with the remedy and without the password if it does not, or if none answers", async () => {
    expect(await bus(server().url)).toMatchObject([{ level: "ok", message: expect.stringMatching(/^RabbitMQ at \S+ answers/) }]);
    const wrong = new URL(server().url);
    wrong.username = "nobody";
    wrong.password = "hunter2";
    const [refused] = await bus(wrong.href);
    expect(refused).toMatchObject({ level: "fail", message: expect.stringContaining('refused the login of "nobody"'), fix: REMEDY });
    expect(JSON.stringify(refused)).not.toContain("hunter2");
    expect(await bus("amqp://127.0.0.1:9")).toMatchObject([
      { level: "fail", message: expect.stringMatching(/^RabbitMQ at 127\.0\.0\.1:9 does not answer/), fix: REMEDY },
    ]);
  });

  it("names a wrong BUS_URL, and checks nothing for the bus in a process", async () => {
    expect(await bus("kafka://127.0.0.1")).toMatchObject([{ level: "fail", message: expect.stringContaining("which is not a bus") }]);
    expect(await bus("memory:")).toEqual([]);
  });
});

describeOnServer("nats", "toolbus doctor with the NATS that BUS_URL names", (server) => {
  it("passes if it answers, and fails with the remedy if none does", async () => {
    const { origin, host } = new URL(server().url);
    expect(await bus(server().url)).toMatchObject([{ level: "ok", message: expect.stringMatching(/^NATS at \S+ answers/) }]);
    const plain = origin === "null" ? `nats://${host}` : origin;
    expect(await bus(plain)).toMatchObject([
      { message: expect.stringContaining("its namespace is toolbus, as it must be for the services") },
    ]);
    expect(await bus(`${plain}?namespace=blue`)).toMatchObject([{ message: expect.stringContaining("its namespace is blue,") }]);
    expect(await bus("nats://127.0.0.1:9")).toMatchObject([{ level: "fail", fix: REMEDY }]);
  });
});

const REMEDY = "No service works with this BUS_URL. Correct it, or start the broker.";

async function bus(url: string): Promise<readonly { readonly level: string; readonly message: string; readonly fix?: string }[]> {
  const addresses = { TOOLBUS_URL: "http://127.0.0.1:9", TOOLBUS_APPROVALS_URL: "http://127.0.0.1:9" };
  const { stdout } = await runProgram(TOOLBUS, ["doctor", "--json"], { env: { ...addresses, BUS_URL: url } });
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly name: string; readonly level: string; readonly message: string }[];
  };
  return checks.filter(({ name }) => name === "bus");
}
