import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, probe } from "./probe.ts";

const area = "durability";
const needs: BusCase["needs"] = ({ durable }) => durable;

/** The cases for adapters whose queues outlive a connection. */
export const durableCases: readonly BusCase[] = [
  {
    area,
    name: "a message outlives the connection that published it",
    needs,
    async run(context) {
      const { subscription } = await collect(context, "orders");
      await subscription.stop();
      await context.bus.publish(probe("orders", "kept"));
      await context.bus.close();
      const { deliveries } = await collect(context, "orders", undefined, { bus: await context.connect() });
      await deliveries.until("the message that was kept arrives", allArrived(["kept"]));
    },
  },
  {
    area,
    name: "a message that was held when its connection closed comes again",
    needs,
    async run(context) {
      const never = Promise.withResolvers<never>();
      const { deliveries: held } = await collect(context, "orders", () => never.promise);
      await context.bus.publish(probe("orders", "held"));
      await held.until("the first connection holds it", allArrived(["held"]));
      await context.bus.close();
      const { deliveries } = await collect(context, "orders", undefined, { bus: await context.connect() });
      await deliveries.until("it comes again", allArrived(["held"]));
    },
  },
];
