import { expect } from "vitest";
import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, idsOf, probes } from "./probe.ts";

/** The case for adapters that preserve the order if nothing intervenes. No service may rely on this order. */
export const orderCases: readonly BusCase[] = [
  {
    area: "order",
    name: "one consumer that handles one at a time gets messages in the order of publishing",
    needs: ({ ordered }) => ordered === "single-consumer",
    async run(context) {
      const { deliveries } = await collect(context, "orders");
      const ids = probes("orders", 100).map(({ id }) => id);
      for (const message of probes("orders", 100)) await context.bus.publish(message);
      expect(idsOf(await deliveries.until("all messages arrive", allArrived(ids)))).toEqual(ids);
    },
  },
];
