import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, probe } from "./probe.ts";

const area = "readiness";

export const readyCases: readonly BusCase[] = [
  {
    area,
    name: "a bus is ready from the beginning, and while it is used and consumers come and go",
    async run(context) {
      const { bus } = context;
      expect(bus.unready()).toEqual([]);
      const { deliveries, subscription } = await collect(context, "orders");
      await bus.listen("news", () => undefined);
      await bus.publish(probe("orders", "first"));
      await deliveries.until("it arrives", allArrived(["first"]));
      expect(bus.unready()).toEqual([]);
      let stopped = false;
      const stop = subscription.stop().finally(() => (stopped = true));
      while (!stopped) {
        expect(bus.unready()).toEqual([]);
        await turn();
      }
      await stop;
      expect(bus.unready()).toEqual([]);
    },
  },
  {
    area,
    name: "a bus is not ready from the beginning of its close on, and says why",
    async run({ bus }) {
      const closed = bus.close();
      expect(bus.unready()).toEqual([expect.stringMatching(/./)]);
      await closed;
      expect(bus.unready()).toEqual([expect.stringMatching(/./)]);
    },
  },
];
