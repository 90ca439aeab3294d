import { expect } from "vitest";
import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, idsOf, probe } from "./probe.ts";

const area = "publish";

/** The cases for names that look alike but are different. */
export const nameCases: readonly BusCase[] = [
  {
    area,
    name: "a message with the id of another one on another topic arrives too",
    async run(context) {
      const { deliveries: orders } = await collect(context, "orders");
      const { deliveries: refunds } = await collect(context, "refunds");
      await context.bus.publish(probe("orders", "same"));
      await context.bus.publish(probe("refunds", "same"));
      await orders.until("the order arrives", allArrived(["same"]));
      await refunds.until("the refund arrives", allArrived(["same"]));
    },
  },
  {
    area,
    name: "topics that differ in one character only do not mix",
    async run(context) {
      const topics = ["tool.invoke.a-b", "tool.invoke.a_b", "tool.invoke.a.b"];
      const queues = await Promise.all(topics.map((topic) => collect(context, topic)));
      for (const [index, { deliveries }] of queues.entries()) {
        const topic = topics[index] ?? "";
        const ids = ["1", "2", "3"].map((n) => `${topic} ${n}`);
        // The messages are published one after the other. If two topics shared a queue, both consumers would receive some of them.
        for (const id of ids) await context.bus.publish(probe(topic, id));
        expect(idsOf(await deliveries.until(`the messages to ${topic} arrive`, allArrived(ids))).toSorted()).toEqual(ids);
      }
    },
  },
];
