import { expect } from "vitest";
import type { Delivery } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, idsOf, probe, record, within } from "./probe.ts";

const area = "at least once";

export const atLeastOnceCases: readonly BusCase[] = [
  {
    area,
    name: "a message whose handler throws comes again and counts higher",
    async run(context) {
      const { deliveries } = await collect(context, "orders", ({ count }) => {
        if (count === 1) throw new Error("The first try fails.");
        return ACK;
      });
      await context.bus.publish(probe("orders", "thrown"));
      const [first, second] = await deliveries.until("the message comes again", ({ length }) => length >= 2);
      expect(first?.count).toBe(1);
      expect(second?.count).toBe(2);
      expect(second?.message).toEqual(first?.message);
    },
  },
  {
    area,
    name: "a handler that throws does not stop its consumer",
    async run(context) {
      const { deliveries } = await collect(context, "orders", ({ message }) => {
        if (message.id === "thrown") throw new Error("It always fails.");
        return ACK;
      });
      await context.bus.publish(probe("orders", "thrown"));
      await deliveries.until("the failing message arrives", allArrived(["thrown"]));
      await context.bus.publish(probe("orders", "behind"));
      await deliveries.until("the message behind it arrives", allArrived(["behind"]));
    },
  },
  {
    area,
    name: "a message held by a consumer that goes away comes to another one and counts higher",
    async run(context) {
      const never = Promise.withResolvers<never>();
      const { deliveries: held, subscription } = await collect(context, "orders", () => never.promise);
      await context.bus.publish(probe("orders", "held"));
      const [before] = await held.until("the first consumer holds it", allArrived(["held"]));
      const { deliveries: taken } = await collect(context, "orders");
      await within(context.patienceMs, "the consumer stops although its handler does not end", subscription.stop());
      const [after] = await taken.until("the other consumer gets it", allArrived(["held"]));
      expect(before?.signal.aborted).toBe(true);
      expect(after?.count).toBeGreaterThan(before?.count ?? 0);
    },
  },
  {
    area,
    name: "a handler that ends after its delivery was taken back changes nothing",
    async run(context) {
      const late = Promise.withResolvers<typeof ACK>();
      const { deliveries: held, subscription } = await collect(context, "orders", () => late.promise);
      await context.bus.publish(probe("orders", "held"));
      await held.until("the first consumer holds it", allArrived(["held"]));
      await within(context.patienceMs, "the consumer stops although its handler does not end", subscription.stop());
      late.resolve(ACK);
      const { deliveries: taken } = await collect(context, "orders");
      await taken.until("another consumer gets it", allArrived(["held"]));
    },
  },
  {
    area,
    name: "a message that was acked does not come again",
    async run(context) {
      const into = record<Delivery>(context);
      const { subscription } = await collect(context, "orders", undefined, { into });
      await context.bus.publish(probe("orders", "done"));
      await into.until("it arrives", allArrived(["done"]));
      await subscription.stop();
      await collect(context, "orders", undefined, { into });
      // The test then publishes two messages, one after the other. A redelivery would arrive between them.
      await context.bus.publish(probe("orders", "next"));
      await into.until("the next one arrives", allArrived(["next"]));
      await context.bus.publish(probe("orders", "last"));
      expect(idsOf(await into.until("the last one arrives", allArrived(["last"])))).toEqual(["done", "next", "last"]);
    },
  },
];
