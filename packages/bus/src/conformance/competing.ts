import { expect } from "vitest";
import type { Delivery } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, idsOf, probe, probes, record, within } from "./probe.ts";

const area = "competing consumers";

export const competingCases: readonly BusCase[] = [
  {
    area,
    name: "each message goes to one of the consumers",
    async run(context) {
      const into = record<Delivery>(context);
      await collect(context, "orders", undefined, { into });
      await collect(context, "orders", undefined, { into });
      const many = probes("orders", 50);
      for (const message of many) await context.bus.publish(message);
      await into.until("all messages arrive", allArrived(many.map(({ id }) => id)));
      // If a message was also delivered to the other consumer, this copy arrives before the last message.
      await context.bus.publish(probe("orders", "last"));
      const seen = await into.until("the last message arrives", allArrived(["last"]));
      const first = idsOf(seen.filter(({ count }) => count === 1));
      expect(first.toSorted()).toEqual([...new Set(first)].toSorted());
    },
  },
  {
    area,
    name: "two consumers work at the same time",
    async run(context) {
      const into = record<Delivery>(context);
      const both = Promise.withResolvers<void>();
      const meet = async () => {
        await within(context.patienceMs, "each consumer holds a message", both.promise);
        return ACK;
      };
      await collect(context, "orders", meet, { into });
      await collect(context, "orders", meet, { into });
      for (const message of probes("orders", 2)) await context.bus.publish(message);
      await into.until("each consumer holds a message", ({ length }) => length >= 2);
      both.resolve();
    },
  },
  {
    area,
    name: "a consumer gets the messages of its own topic only",
    async run(context) {
      const { deliveries: orders } = await collect(context, "orders");
      const { deliveries: refunds } = await collect(context, "refunds");
      await context.bus.publish(probe("orders", "order"));
      await context.bus.publish(probe("refunds", "refund"));
      expect(idsOf(await orders.until("the order arrives", allArrived(["order"])))).toEqual(["order"]);
      expect(idsOf(await refunds.until("the refund arrives", allArrived(["refund"])))).toEqual(["refund"]);
    },
  },
  {
    area,
    name: "a consumer takes over when another one stops",
    async run(context) {
      const { subscription } = await collect(context, "orders");
      const { deliveries } = await collect(context, "orders");
      await subscription.stop();
      const many = probes("orders", 10);
      for (const message of many) await context.bus.publish(message);
      await deliveries.until("the other consumer gets every message", allArrived(many.map(({ id }) => id)));
    },
  },
];
