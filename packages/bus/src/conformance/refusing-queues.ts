import { topics } from "@toolbus/contracts";
import { memoryBus } from "../memory/memory-bus.ts";
import { BusUnavailable, type Disposition, type MessageBus, type Subscription } from "../message-bus.ts";
import type { OpenBus, RefuseIn } from "./run-case.ts";

/**
 * Opens connections to memory buses, one bus for each namespace. The queues outlive the connections. `refuse` makes a queue refuse the replacements
 * of its messages. The bus then settles the message with `instead`. A delayed retry is correct, but an ack loses the message.
 */
export function refusingQueues(instead: Disposition): { readonly open: OpenBus; readonly refuse: RefuseIn } {
  const buses = new Map<string, MessageBus>();
  const refused = new Set<string>();
  return {
    open: async ({ namespace, drainMs }) => {
      const bus = buses.get(namespace) ?? memoryBus({ drainMs });
      buses.set(namespace, bus);
      const subscriptions: Subscription[] = [];
      const kept = async (starting: Promise<Subscription>): Promise<Subscription> => {
        const subscription = await starting;
        subscriptions.push(subscription);
        return subscription;
      };
      return {
        ...bus,
        async publish(message) {
          const topic = message.topic.replace(topics.dead(""), "");
          if (topic !== message.topic && refused.has(`${namespace} dead-letter ${topic}`))
            throw new BusUnavailable("The queue of dead letters is full.");
          await bus.publish(message);
        },
        consume: (topic, handler, options) =>
          kept(
            bus.consume(
              topic,
              async (delivery) => {
                const disposition = await handler(delivery);
                return refused.has(`${namespace} ${disposition.kind} ${topic}`) ? instead : disposition;
              },
              options,
            ),
          ),
        listen: (topic, listener) => kept(bus.listen(topic, listener)),
        close: async () => void (await Promise.all(subscriptions.map((subscription) => subscription.stop()))),
      };
    },
    async refuse({ namespace, topic, as }) {
      const what = `${namespace} ${as} ${topic}`;
      refused.add(what);
      return async () => void refused.delete(what);
    },
  };
}
