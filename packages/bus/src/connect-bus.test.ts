import { describe, expect, it } from "vitest";
import { probe } from "./conformance/probe.ts";
import { connectBus } from "./connect-bus.ts";
import { BusUnavailable } from "./message-bus.ts";

const options = { clock: Date.now };

describe("connecting to a bus", () => {
  it("returns the memory bus for memory:", async () => {
    const bus = await connectBus("memory:", options);
    await bus.consume("orders", async () => ({ kind: "ack" }), { concurrency: 1 });
    await expect(bus.publish(probe("orders", "first"))).resolves.toBeUndefined();
    await bus.close();
  });

  it.each([
    ["amqp://user:hunter2@broker:5672?namespace=A", "BUS_URL has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["amqps://user:hunter2@broker?colour=red", 'BUS_URL has the unknown option "colour"'],
    ["nats://user:hunter2@broker?colour=red", 'BUS_URL has the unknown option "colour"'],
    ["tls://hunter2@broker?namespace=A", "BUS_URL has a namespace that is not 1 to 40 small letters, digits and hyphens"],
    ["redis://broker", "BUS_URL starts with redis: which is not a bus; accepted are memory:"],
    ["memory", "BUS_URL names no scheme; accepted are memory:"],
    ["", "BUS_URL names no scheme; accepted are memory:"],
    ["memory:shared", 'BUS_URL is exactly "memory:"'],
  ])("refuses %s in one sentence without its password", async (url, sentence) => {
    const refusal: unknown = await connectBus(url, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BusUnavailable);
    expect(String(refusal)).toContain(sentence);
    expect(String(refusal)).not.toContain("hunter2");
  });

  it.each(["amqp://user:hunter2@127.0.0.1:1", "nats://user:hunter2@127.0.0.1:1"])(
    "reports within seconds that it waits for %s, and why, without its password",
    async (url) => {
      const reported: string[] = [];
      const tell = (fields: object, message: string): unknown => reported.push(`${message}: ${JSON.stringify(fields)}`);
      const connecting = connectBus(url, { ...options, connectForMs: 2500, log: { warn: tell, error: tell } });
      await expect(connecting).rejects.toThrow(BusUnavailable);
      expect(reported.join("\n")).toMatch(/cannot be reached; it is retried.*127\.0\.0\.1:1.*ECONNREFUSED/);
      expect(reported.join("\n")).not.toContain("hunter2");
    },
  );
});
