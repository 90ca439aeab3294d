import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import { BusUnavailable } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, idsOf, probe, within } from "./probe.ts";

const area = "close and drain";

export const closeCases: readonly BusCase[] = [
  {
    area,
    name: "a closed bus rejects everything",
    async run({ bus }) {
      await bus.consume("orders", async () => ACK, { concurrency: 1 });
      await bus.close();
      await expect(bus.publish(probe("orders", "late"))).rejects.toBeInstanceOf(BusUnavailable);
      await expect(bus.announce(probe("news", "late"))).rejects.toBeInstanceOf(BusUnavailable);
      await expect(bus.consume("orders", async () => ACK, { concurrency: 1 })).rejects.toBeInstanceOf(BusUnavailable);
      await expect(bus.listen("news", () => undefined)).rejects.toBeInstanceOf(BusUnavailable);
    },
  },
  {
    area,
    name: "close waits for the handlers under way, which may still publish",
    async run(context) {
      const { bus, patienceMs } = context;
      const closing = Promise.withResolvers<void>();
      let published = false;
      await collect(context, "answers");
      const { deliveries } = await collect(context, "orders", async () => {
        await closing.promise;
        // A turn takes longer than a chain of promises, so it reveals a close that does not wait.
        await turn();
        await bus.publish(probe("answers", "answer"));
        published = true;
        return ACK;
      });
      await bus.publish(probe("orders", "under way"));
      await deliveries.until("the handler is under way", allArrived(["under way"]));
      const closed = bus.close();
      closing.resolve();
      await within(patienceMs, "the bus closes", closed);
      expect(published).toBe(true);
    },
  },
  {
    area,
    name: "close gives up a handler that does not end, and its signal says so",
    async run(context) {
      const never = Promise.withResolvers<never>();
      const { deliveries } = await collect(context, "orders", () => never.promise);
      await context.bus.publish(probe("orders", "hanging"));
      const [delivery] = await deliveries.until("the handler is under way", allArrived(["hanging"]));
      expect(delivery?.signal.aborted).toBe(false);
      await within(context.patienceMs, "the bus closes", context.bus.close());
      expect(delivery?.signal.aborted).toBe(true);
    },
  },
  {
    area,
    name: "stop waits for the handlers under way and accepts no more",
    async run(context) {
      const release = Promise.withResolvers<void>();
      let ended = false;
      const { deliveries, subscription } = await collect(context, "orders", async () => {
        await release.promise;
        await turn();
        ended = true;
        return ACK;
      });
      await context.bus.publish(probe("orders", "first"));
      await context.bus.publish(probe("orders", "second"));
      await deliveries.until("the handler is under way", allArrived(["first"]));
      const stopped = subscription.stop();
      release.resolve();
      await within(context.patienceMs, "the consumer stops", stopped);
      expect(ended).toBe(true);
      const { deliveries: other } = await collect(context, "orders");
      await other.until("another consumer gets the rest", allArrived(["second"]));
      expect(idsOf(deliveries.items)).toEqual(["first"]);
    },
  },
  {
    area,
    name: "close and stop can be called twice",
    async run(context) {
      const { subscription } = await collect(context, "orders");
      await Promise.all([subscription.stop(), subscription.stop()]);
      await Promise.all([context.bus.close(), context.bus.close()]);
      await subscription.stop();
      await context.bus.close();
    },
  },
  {
    area,
    name: "close waits for a consumer that is stopping already",
    async run(context) {
      const release = Promise.withResolvers<void>();
      let ended = false;
      const { deliveries, subscription } = await collect(context, "orders", async () => {
        await release.promise;
        await turn();
        ended = true;
        return ACK;
      });
      await context.bus.publish(probe("orders", "under way"));
      await deliveries.until("the handler is under way", allArrived(["under way"]));
      const stopped = subscription.stop();
      const closed = context.bus.close();
      release.resolve();
      await within(context.patienceMs, "the bus closes", closed);
      expect(ended).toBe(true);
      await within(context.patienceMs, "the consumer stops", stopped);
    },
  },
];
