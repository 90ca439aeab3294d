import type { Message } from "@toolbus/contracts";
import { expect } from "vitest";
import type { BusCase } from "./bus-case.ts";
import { allArrived, collect, probe, record, type Recording } from "./probe.ts";

const area = "broadcast";

export const broadcastCases: readonly BusCase[] = [
  {
    area,
    name: "every listener of the topic hears an announcement",
    async run(context) {
      const records = [record<Message>(context), record<Message>(context), record<Message>(context)];
      for (const heard of records) await context.bus.listen("news", heard.add);
      await context.bus.announce(probe("news", "extra"));
      for (const heard of records) await hearing(heard, "extra");
    },
  },
  {
    area,
    name: "an announcement that nobody listens to is dropped",
    async run(context) {
      await context.bus.announce(probe("news", "unheard"));
      const heard = record<Message>(context);
      await context.bus.listen("news", heard.add);
      await context.bus.announce(probe("news", "heard"));
      await hearing(heard, "heard");
      expect(heard.items.map(({ id }) => id)).toEqual(["heard"]);
    },
  },
  {
    area,
    name: "a listener hears its own topic only",
    async run(context) {
      const [news, weather] = [record<Message>(context), record<Message>(context)];
      await context.bus.listen("news", news.add);
      await context.bus.listen("weather", weather.add);
      await context.bus.announce(probe("weather", "rain"));
      await context.bus.announce(probe("news", "extra"));
      await hearing(news, "extra");
      await hearing(weather, "rain");
      expect([news.items.length, weather.items.length]).toEqual([1, 1]);
    },
  },
  {
    area,
    name: "a listener that stopped hears nothing more",
    async run(context) {
      const [stopped, stays] = [record<Message>(context), record<Message>(context)];
      const subscription = await context.bus.listen("news", stopped.add);
      await context.bus.listen("news", stays.add);
      await subscription.stop();
      await subscription.stop();
      await context.bus.announce(probe("news", "extra"));
      await hearing(stays, "extra");
      expect(stopped.items).toEqual([]);
    },
  },
  {
    area,
    name: "a listener that throws harms nobody else",
    async run(context) {
      const heard = record<Message>(context);
      await context.bus.listen("news", () => {
        throw new Error("This listener always fails.");
      });
      await context.bus.listen("news", heard.add);
      await context.bus.announce(probe("news", "first"));
      await context.bus.announce(probe("news", "second"));
      await hearing(heard, "second");
    },
  },
  {
    area,
    name: "announcements and queues of one topic do not mix",
    async run(context) {
      const heard = record<Message>(context);
      await context.bus.listen("orders", heard.add);
      const { deliveries } = await collect(context, "orders");
      await context.bus.announce(probe("orders", "announced"));
      await hearing(heard, "announced");
      await context.bus.publish(probe("orders", "published"));
      const seen = await deliveries.until("the published message arrives", allArrived(["published"]));
      expect([seen.length, heard.items.length]).toEqual([1, 1]);
    },
  },
];

async function hearing(heard: Recording<Message>, id: string): Promise<void> {
  await heard.until(`"${id}" is heard`, (messages) => messages.some((message) => message.id === id));
}
