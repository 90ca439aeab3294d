import { attributes, type DeadLetter, messageTypes, parseDeadLetter, topics } from "@toolbus/contracts";
import { expect } from "vitest";
import type { Delivery, Disposition } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, idsOf, probe } from "./probe.ts";

const area = "dead letters";

export const deadLetterCases: readonly BusCase[] = [
  {
    area,
    name: "a dead letter contains the queue, the reason, the deliveries and the message",
    async run(context) {
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      await collect(context, "orders", ({ count }) => (count < 2 ? { kind: "retry", after: 1, reason: "once more" } : GIVE_UP));
      const sent = probe("orders", "hopeless", { correlationId: "call-1", attributes: { "toolbus-era": "3" } });
      await context.bus.publish(sent);
      const [delivery] = await dead.until("the dead letter arrives", ({ length }) => length > 0);
      expect(letterOf(delivery)).toMatchObject({ queue: "orders", reason: "it is hopeless", deliveries: 2, cut: false, message: sent });
    },
  },
  {
    area,
    name: "a dead letter holds neither grant nor call secret",
    async run(context) {
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      await collect(context, "orders", () => GIVE_UP);
      const named = { [attributes.grant]: "eyJ.grant.value", [attributes.callSecret]: "the-call-secret", [attributes.era]: "3" };
      await context.bus.publish(probe("orders", "hopeless", { attributes: named }));
      const [delivery] = await dead.until("the dead letter arrives", ({ length }) => length > 0);
      expect(letterOf(delivery).message.attributes).toEqual({ [attributes.era]: "3" });
      expect(JSON.stringify(delivery?.message)).not.toMatch(/eyJ|the-call-secret/);
    },
  },
  {
    area,
    name: "a dead letter waits for someone who reads it",
    async run(context) {
      const { deliveries } = await collect(context, "orders", ({ message }) => (message.id === "hopeless" ? GIVE_UP : ACK));
      await context.bus.publish(probe("orders", "hopeless"));
      await context.bus.publish(probe("orders", "behind"));
      await deliveries.until("both are delivered", allArrived(["hopeless", "behind"]));
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      const [delivery] = await dead.until("the dead letter arrives", ({ length }) => length > 0);
      expect(letterOf(delivery).message.id).toBe("hopeless");
    },
  },
  {
    area,
    name: "a message that became a dead letter is not delivered again",
    async run(context) {
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      const { deliveries, subscription } = await collect(context, "orders", () => GIVE_UP);
      await context.bus.publish(probe("orders", "hopeless"));
      await dead.until("the dead letter arrives", ({ length }) => length > 0);
      await subscription.stop();
      const { deliveries: later } = await collect(context, "orders");
      await context.bus.publish(probe("orders", "next"));
      expect(idsOf(await later.until("the next one arrives", allArrived(["next"])))).toEqual(["next"]);
      expect(idsOf(deliveries.items)).toEqual(["hopeless"]);
    },
  },
  {
    area,
    name: "the dead queue of a topic can be published to before anyone reads it",
    async run(context) {
      await collect(context, "orders");
      await expect(context.bus.publish(probe(topics.dead("orders"), "letter"))).resolves.toBeUndefined();
    },
  },
];

const GIVE_UP: Disposition = { kind: "dead-letter", reason: "it is hopeless" };

function letterOf(delivery: Delivery | undefined): DeadLetter {
  expect(delivery?.message.type).toBe(messageTypes.deadLetter);
  const parsed = parseDeadLetter(JSON.parse(delivery?.message.body ?? ""));
  if (!parsed.ok) throw new Error(`This is not a dead letter: ${JSON.stringify(parsed.problems)}`);
  return parsed.value;
}
