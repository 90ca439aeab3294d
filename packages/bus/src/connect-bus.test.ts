import { describe, expect, it } from "vitest";
import { probe } from "./conformance/probe.ts";
import { connectBus } from "./connect-bus.ts";
import { BusUnavailable } from "./message-bus.ts";

const options = { clock: Date.now };

describe("connecting to a bus", () => {
  it("gives the memory bus for memory:", async () => {
    const bus = await connectBus("memory:", options);
    await bus.consume("orders", async () => ({ kind: "ack" }), { concurrency: 1 });
    await expect(bus.publish(probe("orders", "first"))).resolves.toBeUndefined();
    await bus.close();
  });

  it.each([
    ["amqp://user:hunter2@broker:5672", "A bus at amqp:// is not supported yet"],
    ["amqps://broker", "A bus at amqps:// is not supported yet"],
    ["nats://broker:4222", "A bus at nats:// is not supported yet"],
    ["redis://broker", "BUS_URL starts with redis: which is no bus; accepted is memory:"],
    ["memory", "BUS_URL names no scheme; accepted is memory:"],
    ["", "BUS_URL names no scheme; accepted is memory:"],
    ["memory:shared", 'BUS_URL is exactly "memory:"'],
  ])("refuses %s in one sentence without its password", async (url, sentence) => {
    const refusal: unknown = await connectBus(url, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BusUnavailable);
    expect(String(refusal)).toContain(sentence);
    expect(String(refusal)).not.toContain("hunter2");
  });
});
