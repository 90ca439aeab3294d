import type { Channel, ConsumeMessage } from "amqplib";
import type { Message } from "@toolbus/contracts";
import { BusUnavailable, type Subscription } from "../message-bus.ts";
import { faultFields } from "../pipeline-log.ts";
import { brokerAnswer } from "./broker-answer.ts";
import type { Declarer } from "./declare.ts";
import { LOST } from "./link.ts";
import { type Generation, openSteadyChannel, type SteadyChannel, type SteadyChannelOptions } from "./steady-channel.ts";
import { broadcastRoute, listenQueueName } from "./topology.ts";
import { fromWire } from "./wire.ts";

export interface ListenersOptions extends SteadyChannelOptions {
  readonly namespace: string;
  readonly declarer: Declarer;
  /** Returns a new id, unique in the namespace, for the queue of each connection. */
  readonly newId: () => string;
}

/**
 * Receives all announcements through one queue, which exists as long as its connection. On the next connection it binds every topic again.
 * Announcements between the two connections are lost.
 */
export interface Listeners {
  /** Resolves when announcements may arrive. */
  listen(topic: string, hear: (message: Message) => void): Promise<Subscription>;
  /** False while announcements for a listener cannot arrive. */
  readonly open: boolean;
  close(): Promise<void>;
}

export function listeners(options: ListenersOptions): Listeners {
  const { namespace, declarer, newId, link, log } = options;
  const topics = new Map<string, Set<Listener>>();
  let current: Bound | null = null;
  let opening: Promise<SteadyChannel> | null = null;

  return {
    async listen(topic, hear) {
      const listener: Listener = { hear };
      const others = topics.get(topic);
      if (others) others.add(listener);
      else topics.set(topic, new Set([listener]));
      try {
        await opened();
        await bind(topic);
      } catch (error) {
        forget(topic, listener);
        throw error;
      }
      return { stop: async () => forget(topic, listener) };
    },
    get open() {
      return topics.size === 0 || current !== null;
    },
    async close() {
      topics.clear();
      const steady = await opening?.catch(() => null);
      await steady?.close();
    },
  };

  /** Opens the channel for the first listener. */
  async function opened(): Promise<void> {
    opening ??= openSteadyChannel<Channel>(options, { name: "listening", create: (model) => model.createChannel(), begin });
    try {
      await opening;
    } catch (error) {
      opening = null;
      throw error;
    }
  }

  async function begin(generation: Generation<Channel>): Promise<void> {
    const { channel, session, gone } = generation;
    await declarer.exchanges(session);
    // The queue has a different name on each connection. The broker may notice the end of the former connection later than we do, so the former queue
    // may still exist.
    const bound: Bound = { channel, queue: listenQueueName(namespace, newId()) };
    const properties = { exclusive: true, autoDelete: true, durable: false, arguments: { "x-queue-type": "classic" } };
    await channel.assertQueue(bound.queue, properties);
    for (const topic of topics.keys()) await bindOn(bound, topic);
    await channel.consume(bound.queue, (received) => (received ? tell(received) : void generation.end()), { noAck: true });
    gone.addEventListener("abort", () => {
      if (current === bound) current = null;
    });
    current = bound;
  }

  async function bind(topic: string): Promise<void> {
    const { gone } = await link.session(AbortSignal.timeout(WAIT_MS));
    const bound = current;
    if (!bound) throw new BusUnavailable(LOST);
    await brokerAnswer(`listening to "${topic}"`, gone, () => bindOn(bound, topic));
  }

  async function bindOn({ channel, queue }: Bound, topic: string): Promise<void> {
    const { exchange, routingKey } = broadcastRoute(namespace, topic);
    await channel.bindQueue(queue, exchange, routingKey);
  }

  function forget(topic: string, listener: Listener): void {
    const others = topics.get(topic);
    if (!others?.delete(listener) || others.size > 0) return;
    topics.delete(topic);
    const { exchange, routingKey } = broadcastRoute(namespace, topic);
    // Without a listener nobody receives the announcement, so the unbinding only saves traffic.
    current?.channel.unbindQueue(current.queue, exchange, routingKey).catch(() => undefined);
  }

  function tell(received: ConsumeMessage): void {
    const topic = received.fields.routingKey;
    const message = fromWire(topic, received);
    for (const { hear } of topics.get(topic) ?? []) {
      try {
        hear(message);
      } catch (error) {
        // If one listener throws, the others must still receive the message.
        log.error({ ...faultFields(error), topic }, "a listener failed");
      }
    }
  }
}

interface Listener {
  readonly hear: (message: Message) => void;
}

interface Bound {
  readonly channel: Channel;
  readonly queue: string;
}

const WAIT_MS = 10_000;
