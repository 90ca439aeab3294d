import { expect } from "vitest";
import { Unroutable } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, idsOf, probe, probes } from "./probe.ts";

const area = "publish";

export const publishCases: readonly BusCase[] = [
  {
    area,
    name: "rejects as unroutable if no queue takes the topic",
    async run({ bus }) {
      await expect(bus.publish(probe("nobody.home", "lost"))).rejects.toBeInstanceOf(Unroutable);
    },
  },
  {
    area,
    name: "is not routed to a queue whose topic merely begins alike",
    async run(context) {
      await collect(context, "orders");
      await expect(context.bus.publish(probe("orders.late", "lost"))).rejects.toBeInstanceOf(Unroutable);
    },
  },
  {
    area,
    name: "every message of many published at once arrives",
    async run(context) {
      const { deliveries } = await collect(context, "orders", undefined, { concurrency: 8 });
      const many = probes("orders", 200);
      await Promise.all(many.map((message) => context.bus.publish(message)));
      await deliveries.until("200 messages arrive", allArrived(many.map(({ id }) => id)));
    },
  },
  {
    area,
    name: "a message waits for a consumer when all of them are gone",
    async run(context) {
      const { subscription } = await collect(context, "orders");
      await subscription.stop();
      await context.bus.publish(probe("orders", "waiting"));
      const { deliveries } = await collect(context, "orders");
      await deliveries.until("the message that waited arrives", allArrived(["waiting"]));
    },
  },
  {
    area,
    name: "a message that was published again with the same id arrives, once or twice",
    async run(context) {
      const { deliveries } = await collect(context, "orders");
      await context.bus.publish(probe("orders", "again"));
      await context.bus.publish(probe("orders", "again"));
      await context.bus.publish(probe("orders", "after"));
      const seen = await deliveries.until("both arrive", allArrived(["again", "after"]));
      expect(idsOf(seen).filter((id) => id === "again").length).toBeLessThanOrEqual(2);
    },
  },
];
