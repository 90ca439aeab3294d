import { expect } from "vitest";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, probe, probes } from "./probe.ts";

const area = "concurrency";
const LIMIT = 3;

export const concurrencyCases: readonly BusCase[] = [
  {
    area,
    name: "a consumer holds as many messages as it asked for, and no more",
    async run(context) {
      const full = Promise.withResolvers<void>();
      let underWay = 0;
      let most = 0;
      const hold = async () => {
        most = Math.max(most, ++underWay);
        // The first messages wait for each other, and the later ones need not wait.
        await full.promise;
        underWay--;
        return ACK;
      };
      const { deliveries } = await collect(context, "orders", hold, { concurrency: LIMIT });
      // A consumer of another topic proves that the broker had time to deliver one message too many.
      const { deliveries: other } = await collect(context, "refunds");
      const many = probes("orders", 20);
      await Promise.all(many.map((message) => context.bus.publish(message)));
      await deliveries.until(`${LIMIT} messages are held`, ({ length }) => length >= LIMIT);
      await context.bus.publish(probe("refunds", "meanwhile"));
      await other.until("the other queue moves", allArrived(["meanwhile"]));
      expect(underWay).toBe(LIMIT);
      full.resolve();
      await deliveries.until("all messages arrive", allArrived(many.map(({ id }) => id)));
      expect(most).toBe(LIMIT);
    },
  },
  {
    area,
    name: "a slow message does not hold up those behind it",
    async run(context) {
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(
        context,
        "orders",
        async ({ message }) => {
          if (message.id === "slow") await release.promise;
          return ACK;
        },
        { concurrency: 2 },
      );
      await context.bus.publish(probe("orders", "slow"));
      const many = probes("orders", 20);
      for (const message of many) await context.bus.publish(message);
      await deliveries.until("the messages behind the slow one arrive", allArrived(many.map(({ id }) => id)));
      release.resolve();
    },
  },
];
