import { topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { allArrived, idsOf, probe, probes, record } from "../conformance/probe.ts";
import type { Delivery } from "../message-bus.ts";
import { type MemoryBusOptions, memoryBus } from "./memory-bus.ts";

async function setup(options: MemoryBusOptions = {}) {
  const bus = memoryBus(options);
  const deliveries = record<Delivery>({ patienceMs: 10_000 });
  const consume = () =>
    bus.consume(
      "orders",
      async (delivery) => {
        deliveries.add(delivery);
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
  await consume();
  return { bus, deliveries, [Symbol.asyncDispose]: () => bus.close() };
}

const many = probes("orders", 300);
const ids = many.map(({ id }) => id);

describe("a memory bus with faults", () => {
  it("delivers every message at least once while it duplicates, reorders and delays", async () => {
    await using s = await setup({ faults: { duplicate: 0.3, reorder: 0.3, delayMs: 20 } });
    for (const message of many) await s.bus.publish(message);
    const seen = await s.deliveries.until("all messages arrive", allArrived(ids));
    expect(seen.length).toBeGreaterThanOrEqual(ids.length);
  });

  it("delivers duplicated messages twice", async () => {
    await using s = await setup({ faults: { duplicate: 1 } });
    await s.bus.publish(probe("orders", "twice"));
    const seen = await s.deliveries.until("two deliveries", ({ length }) => length === 2);
    expect(idsOf(seen)).toEqual(["twice", "twice"]);
  });

  it("lets later messages overtake delayed ones", async () => {
    await using s = await setup({ faults: { reorder: 0.5 } });
    for (const message of many) await s.bus.publish(message);
    const seen = idsOf(await s.deliveries.until("all messages arrive", allArrived(ids)));
    expect(seen).not.toEqual(ids);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it("confirms lost messages", async () => {
    await using s = await setup({ faults: { lose: 1 } });
    await s.bus.publish(probe("orders", "lost"));
    s.bus.setFaults({});
    await s.bus.publish(probe("orders", "kept"));
    expect(idsOf(await s.deliveries.until("the next one arrives", allArrived(["kept"])))).toEqual(["kept"]);
  });

  it("loses about as many as configured, decided by the given randomness", async () => {
    let calls = 0;
    await using s = await setup({ faults: { lose: 0.5 }, random: () => (calls++ % 4) / 4 });
    for (const message of many) await s.bus.publish(message);
    s.bus.setFaults({});
    await s.bus.publish(probe("orders", "last"));
    expect(await s.deliveries.until("the last one arrives", allArrived(["last"]))).toHaveLength(151);
  });

  it("still refuses unroutable messages while it loses everything", async () => {
    await using s = await setup({ faults: { lose: 1 } });
    await expect(s.bus.publish(probe("refunds", "lost"))).rejects.toThrow('No queue takes "refunds"');
  });

  it("affects announcements too", async () => {
    await using s = await setup({ faults: { duplicate: 1 } });
    const heard = record<string>({ patienceMs: 5000 });
    await s.bus.listen("news", ({ id }) => heard.add(id));
    await s.bus.announce(probe("news", "twice"));
    expect(await heard.until("it is heard twice", ({ length }) => length === 2)).toEqual(["twice", "twice"]);
  });
});

describe("a memory bus", () => {
  it("runs no delivery and no timer after it was closed", async () => {
    const tasks = new Set<() => void>();
    const bus = memoryBus({
      schedule: (task) => {
        tasks.add(task);
        return () => tasks.delete(task);
      },
    });
    let handled = 0;
    await bus.consume(
      "orders",
      async () => {
        handled++;
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
    await bus.publish(probe("orders", "waiting"));
    bus.setFaults({ delayMs: 60_000 });
    await bus.publish(probe("orders", "delayed"));
    expect(tasks.size).toBe(2);
    await bus.close();
    expect([tasks.size, handled]).toEqual([0, 0]);
  });

  it("cannot be changed through a message that was published or delivered", async () => {
    await using s = await setup();
    const named = { era: "3" };
    await s.bus.publish(probe("orders", "fixed", { attributes: named }));
    named.era = "4";
    const [delivery] = await s.deliveries.until("it arrives", ({ length }) => length === 1);
    expect(delivery?.message.attributes).toEqual({ era: "3" });
    expect(Object.isFrozen(delivery?.message)).toBe(true);
  });

  it("keeps the last 1,000 dead letters of a dead queue without consumers", async () => {
    await using s = await setup();
    const dead = topics.dead("orders");
    for (const message of probes(dead, 1100)) await s.bus.publish(message);
    const letters = record<Delivery>({ patienceMs: 5000 });
    await s.bus.consume(
      dead,
      async (delivery) => {
        letters.add(delivery);
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
    const kept = idsOf(await letters.until("the last letter arrives", allArrived(["probe-1100"])));
    expect([kept.length, kept[0]]).toEqual([1000, "probe-101"]);
  });

  it("lets timers run while a queue is never empty", async () => {
    const bus = memoryBus();
    // A bus that starves timers would deliver all of these messages first.
    let left = 1_000_000;
    await bus.consume(
      "orders",
      async ({ message }) => {
        if (--left > 0) await bus.publish(message);
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
    await bus.publish(probe("orders", "endless"));
    await new Promise((resolve) => setTimeout(resolve, 1));
    await bus.close();
    expect(left).toBeGreaterThan(0);
  });
});
