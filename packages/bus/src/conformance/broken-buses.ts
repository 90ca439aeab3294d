import { message, messageTypes, topics } from "@toolbus/contracts";
import { memoryBus } from "../memory/memory-bus.ts";
import { BusUnavailable, type Delivery, type DeliveryHandler, type Disposition, type MessageBus, Unroutable } from "../message-bus.ts";
import { ACK } from "./probe.ts";
import { refusingQueues } from "./refusing-queues.ts";
import type { OpenBus, RefuseIn } from "./run-case.ts";

/** A bus with one fault, and the case of the contract that must notice it. */
export interface BrokenBus {
  readonly fault: string;
  readonly noticedBy: string;
  readonly open: OpenBus;
  readonly refuse?: RefuseIn;
}

/** The memory bus in several versions, each of which breaks another promise. */
export const brokenBuses: readonly BrokenBus[] = [
  { fault: "loses every third message", noticedBy: "every message of many published at once arrives", open: wrapped(losingEveryThird) },
  {
    fault: "confirms what no queue takes",
    noticedBy: "rejects as unroutable if no queue takes the topic",
    open: wrapped((bus) => ({ ...bus, publish: (sent) => bus.publish(sent).catch(ignoring(Unroutable)) })),
  },
  {
    fault: "treats an id on another topic as a duplicate",
    noticedBy: "a message with the id of another one on another topic arrives too",
    open: wrapped(droppingDuplicates),
  },
  {
    fault: "treats a dot as an underscore",
    noticedBy: "topics that differ in one character only do not mix",
    open: wrapped((bus) => ({
      ...bus,
      publish: (sent) => bus.publish({ ...sent, topic: sent.topic.replaceAll(".", "_") }),
      consume: (topic, handler, options) => bus.consume(topic.replaceAll(".", "_"), handler, options),
    })),
  },
  {
    fault: "drops attributes",
    noticedBy: "a queue carries attributes by their exact names and values unchanged",
    open: wrapped((bus) => ({ ...bus, publish: (sent) => bus.publish({ ...sent, attributes: {} }) })),
  },
  {
    fault: "rewrites bodies",
    noticedBy: "a queue carries a body with a duplicate key unchanged",
    open: wrapped((bus) => ({ ...bus, publish: (sent) => bus.publish({ ...sent, body: JSON.stringify(JSON.parse(sent.body)) }) })),
  },
  {
    fault: "drops empty attributes of announcements",
    noticedBy: "a broadcast carries an attribute with an empty value unchanged",
    open: wrapped((bus) => ({ ...bus, announce: (sent) => bus.announce({ ...sent, attributes: {} }) })),
  },
  { fault: "delivers to every consumer", noticedBy: "each message goes to one of the consumers", open: wrapped(deliveringToAll) },
  { fault: "lets one consumer at a time work", noticedBy: "two consumers work at the same time", open: wrapped(oneAtATime) },
  {
    fault: "ignores the limit of a consumer",
    noticedBy: "a consumer holds as many messages as it asked for, and no more",
    open: wrapped((bus) => ({ ...bus, consume: (topic, handler) => bus.consume(topic, handler, { concurrency: 100 }) })),
  },
  {
    fault: "gives a consumer one message at a time",
    noticedBy: "a slow message does not hold up those behind it",
    open: wrapped((bus) => ({ ...bus, consume: (topic, handler) => bus.consume(topic, handler, { concurrency: 1 }) })),
  },
  {
    fault: "never redelivers failed messages",
    noticedBy: "a message whose handler throws comes again and counts higher",
    open: handling((handler) => (delivery) => handler(delivery).catch(() => ACK)),
  },
  {
    fault: "drops messages that a stopped consumer held",
    noticedBy: "a message held by a consumer that goes away comes to another one and counts higher",
    open: handling((handler) => async (delivery) => (delivery.count > 1 ? ACK : handler(delivery))),
  },
  {
    fault: "acks before the handler ends",
    noticedBy: "a handler that ends after its delivery was taken back changes nothing",
    open: handling(ackingFirst),
  },
  {
    fault: "redelivers acked messages",
    noticedBy: "a message that was acked does not come again",
    open: handling((handler) => async (delivery) => settledAs(await handler(delivery), "ack", { kind: "retry", after: 0, reason: "" })),
  },
  {
    fault: "never retries",
    noticedBy: "a message that is retried comes again unchanged, counting 1, 2, 3",
    open: handling((handler) => async (delivery) => settledAs(await handler(delivery), "retry", ACK)),
  },
  {
    fault: "does not count",
    noticedBy: "a message that is retried comes again unchanged, counting 1, 2, 3",
    open: handling((handler) => (delivery) => handler({ ...delivery, count: 1 })),
  },
  {
    fault: "ignores the delay of a retry",
    noticedBy: "a retry waits as long as the handler asked for",
    open: handling((handler) => async (delivery) => settledAs(await handler(delivery), "retry", { kind: "retry", after: 0, reason: "" })),
  },
  {
    fault: "drops dead letters",
    noticedBy: "a dead letter contains the queue, the reason, the deliveries and the message",
    open: handling((handler) => async (delivery) => settledAs(await handler(delivery), "dead-letter", ACK)),
  },
  {
    fault: "drops a message whose dead letter is refused",
    noticedBy: "a message stays while its dead letter is refused, and becomes one when that is accepted",
    ...refusingQueues(ACK),
  },
  {
    fault: "drops a message whose retry is refused",
    noticedBy: "a message stays while its retry is refused, and comes again when that is accepted",
    ...refusingQueues(ACK),
  },
  { fault: "keeps secrets in dead letters", noticedBy: "a dead letter holds neither grant nor call secret", open: wrapped(leakingSecrets) },
  { fault: "notifies only the last listener", noticedBy: "every listener of the topic hears an announcement", open: wrapped(notifyingOne) },
  {
    fault: "announces to queues",
    noticedBy: "announcements and queues of one topic do not mix",
    open: wrapped((bus) => ({ ...bus, announce: async (sent) => void (await Promise.all([bus.announce(sent), bus.publish(sent)])) })),
  },
  {
    fault: "accepts messages after it was closed",
    noticedBy: "a closed bus rejects everything",
    open: wrapped((bus) => ({ ...bus, publish: (sent) => bus.publish(sent).catch(ignoring(BusUnavailable)) })),
  },
  {
    fault: "reports that it is ready when it is closed",
    noticedBy: "a bus is not ready from the beginning of its close on, and says why",
    open: wrapped((bus) => ({ ...bus, unready: () => [] })),
  },
  {
    fault: "is never ready",
    noticedBy: "a bus is ready from the beginning, and while it is used and consumers come and go",
    open: wrapped((bus) => ({ ...bus, unready: () => ["starting"] })),
  },
  {
    fault: "closes without waiting",
    noticedBy: "close waits for the handlers under way, which may still publish",
    open: wrapped((bus) => ({ ...bus, close: async () => void bus.close() })),
  },
  {
    fault: "waits for handlers for too long",
    noticedBy: "close gives up a handler that does not end, and its signal says so",
    open: async () => memoryBus({ drainMs: 3000 }),
  },
  {
    fault: "gives handlers no time",
    noticedBy: "stop waits for the handlers under way and accepts no more",
    open: async () => memoryBus({ drainMs: 0 }),
  },
  {
    fault: "mixes up the order",
    noticedBy: "one consumer that handles one at a time gets messages in the order of publishing",
    open: async ({ drainMs }) => memoryBus({ drainMs, faults: { reorder: 0.5 } }),
  },
  {
    fault: "forgets messages with its connection",
    noticedBy: "a message outlives the connection that published it",
    open: wrapped((bus) => bus),
  },
];

function wrapped(breakIt: (bus: MessageBus) => MessageBus): OpenBus {
  return async ({ drainMs }) => breakIt(memoryBus({ drainMs }));
}

function handling(breakIt: (handler: DeliveryHandler) => DeliveryHandler): OpenBus {
  return wrapped((bus) => ({
    ...bus,
    consume: (topic, handler, options) =>
      bus.consume(
        topic,
        breakIt(async (delivery) => handler(delivery)),
        options,
      ),
  }));
}

function settledAs(disposition: Disposition, kind: Disposition["kind"], instead: Disposition): Disposition {
  return disposition.kind === kind ? instead : disposition;
}

function ignoring(expected: typeof Unroutable | typeof BusUnavailable): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof expected)) throw error;
  };
}

function losingEveryThird(bus: MessageBus): MessageBus {
  let published = 0;
  return {
    ...bus,
    async publish(sent) {
      if (++published % 3 > 0) await bus.publish(sent);
    },
  };
}

function droppingDuplicates(bus: MessageBus): MessageBus {
  const ids = new Set<string>();
  return {
    ...bus,
    async publish(sent) {
      if (!ids.has(sent.id)) await bus.publish(sent);
      ids.add(sent.id);
    },
  };
}

function deliveringToAll(bus: MessageBus): MessageBus {
  const handlers: DeliveryHandler[] = [];
  const toAll = async (delivery: Delivery): Promise<Disposition> => {
    await Promise.all(handlers.map((handler) => handler(delivery)));
    return ACK;
  };
  return {
    ...bus,
    consume(topic, handler, options) {
      handlers.push(handler);
      return bus.consume(topic, toAll, options);
    },
  };
}

function oneAtATime(bus: MessageBus): MessageBus {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...bus,
    consume: (topic, handler, options) =>
      bus.consume(
        topic,
        (delivery) => {
          const next = last.then(() => handler(delivery));
          last = next.catch(() => undefined);
          return next;
        },
        options,
      ),
  };
}

function ackingFirst(handler: DeliveryHandler): DeliveryHandler {
  return async (delivery) => {
    handler(delivery).catch(() => undefined);
    return ACK;
  };
}

function leakingSecrets(bus: MessageBus): MessageBus {
  const consume: MessageBus["consume"] = (topic, handler, options) =>
    bus.consume(
      topic,
      async (delivery) => {
        const disposition = await handler(delivery);
        if (disposition.kind !== "dead-letter") return disposition;
        const letter = {
          queue: topic,
          reason: disposition.reason,
          deliveries: delivery.count,
          history: [],
          message: delivery.message,
          cut: false,
        };
        const id = `dead:${delivery.message.id}`;
        await bus.publish(
          message({ id, topic: topics.dead(topic), type: messageTypes.deadLetter, source: "broken", now: 0, body: letter }),
        );
        return ACK;
      },
      options,
    );
  return { ...bus, consume };
}

function notifyingOne(bus: MessageBus): MessageBus {
  let stopOther = async (): Promise<void> => undefined;
  return {
    ...bus,
    async listen(topic, listener) {
      await stopOther();
      const subscription = await bus.listen(topic, listener);
      stopOther = subscription.stop;
      return subscription;
    },
  };
}
