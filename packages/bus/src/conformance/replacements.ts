import { messageTypes, type Parsed, parseDeadLetter, topics } from "@toolbus/contracts";
import { consumeQueue } from "../consume-pipeline.ts";
import type { Delivery, Disposition } from "../message-bus.ts";
import type { BusCase, CaseContext, Replacement } from "./bus-case.ts";
import { collect, probe, record } from "./probe.ts";

const area = "replacements";
const GIVE_UP: Disposition = { kind: "dead-letter", reason: "it is hopeless" };
const AGAIN: Disposition = { kind: "retry", after: 250, reason: "the case wants it again" };
const DAY_MS = 24 * 3_600_000;

const refusable = (replacement: Replacement): NonNullable<BusCase["needs"]> => {
  return ({ refusable: kinds = [] }) => kinds.includes(replacement);
};

/**
 * The cases for replacements. A bus releases a message only when its replacement is stored. So the message stays while the broker
 * refuses the replacement.
 */
export const replacementCases: readonly BusCase[] = [
  {
    area,
    name: "a message stays while its dead letter is refused, and becomes one when that is accepted",
    needs: refusable("dead-letter"),
    run: async (context) => {
      await staysWhileRefused(context, "dead-letter", GIVE_UP);
      await collect(context, "orders", () => GIVE_UP);
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      await dead.until("its dead letter arrives", (letters) => lettersOf(letters).has("kept"));
    },
  },
  {
    area,
    name: "a message stays while its retry is refused, and comes again when that is accepted",
    needs: refusable("retry"),
    run: async (context) => {
      await staysWhileRefused(context, "retry", AGAIN);
      const { deliveries } = await collect(context, "orders", () => AGAIN);
      await deliveries.until("its retry arrives", ({ length }) => length >= 2);
    },
  },
  {
    area,
    name: "every message that the pipeline gives up stays while its dead letter is refused: unreadable, too old, hopeless, or tried too often",
    needs: refusable("dead-letter"),
    run: async (context) => {
      const { bus, refuse } = context;
      const refused = record<string>(context);
      const log = { warn: () => undefined, error: (fields: object) => refused.add(String("messageId" in fields && fields.messageId)) };
      await consumeQueue(bus, {
        topic: "orders",
        types: ["toolbus.probe"],
        parse: (body: unknown): Parsed<unknown> => ({ ok: true, value: body }),
        concurrency: 4,
        deadlineMs: 5000,
        maxDeliveries: 2,
        backoffMs: [1],
        clock: Date.now,
        log,
        handler: async ({ id }) => {
          if (id === "tried too often") throw new Error("It always fails.");
          return GIVE_UP;
        },
      });
      const allow = await refuse({ topic: "orders", as: "dead-letter" });
      await bus.publish(probe("orders", "unreadable", { body: "{" }));
      await bus.publish(probe("orders", "too old", { time: new Date(Date.now() - 2 * DAY_MS).toISOString() }));
      await bus.publish(probe("orders", "hopeless"));
      await bus.publish(probe("orders", "tried too often"));
      const ids = ["unreadable", "too old", "hopeless", "tried too often"];
      await refused.until("each dead letter was refused", (all) => ids.every((id) => all.includes(id)));
      await allow();
      const { deliveries: dead } = await collect(context, topics.dead("orders"));
      await dead.until("each has a dead letter", (letters) => ids.every((id) => lettersOf(letters).has(id)));
    },
  },
];

/**
 * Settles a message with a replacement that the broker refuses. Two consumers do this, one after the other, and each then stops. Finally the broker
 * accepts replacements again.
 */
async function staysWhileRefused(context: CaseContext, as: Replacement, disposition: Disposition): Promise<void> {
  const into = record<Delivery>(context);
  const holders = record<number>(context);
  const consume = (consumer: number): ReturnType<typeof collect> =>
    collect(context, "orders", () => (holders.add(consumer), disposition), { into });
  // The consumers must declare their queues before the refusal begins.
  const consumers = [await consume(0), await consume(1)];
  const allow = await context.refuse({ topic: "orders", as });
  await context.bus.publish(probe("orders", "kept"));
  const [first = 0] = await holders.until("it comes to one consumer", ({ length }) => length > 0);
  await consumers[first]?.subscription.stop();
  await holders.until("it comes to the other consumer", (all) => all.includes(1 - first));
  await consumers[1 - first]?.subscription.stop();
  await allow();
}

function lettersOf(deliveries: readonly Delivery[]): ReadonlySet<string> {
  const letters = deliveries
    .filter(({ message }) => message.type === messageTypes.deadLetter)
    .map(({ message }) => parseDeadLetter(JSON.parse(message.body)));
  return new Set(letters.flatMap((letter) => (letter.ok ? [letter.value.message.id] : [])));
}
