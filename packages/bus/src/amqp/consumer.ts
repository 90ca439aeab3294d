import { setTimeout as wait } from "node:timers/promises";
import type { Channel, ConsumeMessage } from "amqplib";
import { type Message, topics } from "@toolbus/contracts";
import { deadLetterMessage } from "../dead-letter.ts";
import { BusUnavailable, type DeliveryHandler, type Disposition, type Subscription, Unroutable } from "../message-bus.ts";
import { faultFields } from "../pipeline-log.ts";
import { type Acknowledger, acknowledger } from "./acknowledger.ts";
import { backoffMs } from "./backoff.ts";
import { asDeadLetter } from "./buried-by-broker.ts";
import type { Declarer } from "./declare.ts";
import { DELIVERIES_HEADER, deliveryCount } from "./delivery-count.ts";
import { dispositionOf } from "./disposition-of.ts";
import type { Session } from "./link.ts";
import type { Publication, Publisher } from "./publisher.ts";
import { rungFor } from "./retry-ladder.ts";
import { settled } from "./settled.ts";
import { type Generation, openSteadyChannel, type SteadyChannelOptions } from "./steady-channel.ts";
import { cameFor, queueName, queueRoute, retryRoute } from "./topology.ts";
import { fromWire, toWire } from "./wire.ts";

export interface AmqpConsumer extends Subscription {
  /** False while deliveries cannot come: its channel was lost and has not begun again. */
  readonly open: boolean;
}

export interface ConsumerOptions extends SteadyChannelOptions {
  readonly namespace: string;
  readonly declarer: Declarer;
  readonly publisher: Publisher;
  /** Wall clock in milliseconds, to date dead letters. */
  readonly clock: () => number;
  /** How long a stop waits for handlers under way, in milliseconds. */
  readonly drainMs: number;
}

/**
 * Consumes the queue of a topic, on its own channel. If the channel is lost, or the queue is deleted, everything is declared again and the consumer comes
 * back. Deliveries of the old channel are then no longer this consumer's: their signals abort, and the results of their handlers change nothing.
 */
export async function openConsumer(
  options: ConsumerOptions,
  topic: string,
  handler: DeliveryHandler,
  concurrency: number,
): Promise<AmqpConsumer> {
  const { namespace, declarer, publisher, clock, drainMs, log, random } = options;
  const queue = queueName(namespace, topic);
  const isDead = topic.startsWith(topics.dead(""));
  /** The handlers under way, including those of lost channels. */
  const underWay = new Set<Held>();
  /** Deliveries that came after the stop began. */
  const tooLate: Held[] = [];
  const stopping = new AbortController();
  let consuming: Consuming | null = null;
  let idle: (() => void) | null = null;
  let stopped: Promise<void> | null = null;

  const steady = await openSteadyChannel<Channel>(options, {
    name: `the consumer of "${topic}"`,
    create: (model) => model.createChannel(),
    begin,
  });
  return {
    get open() {
      return stopping.signal.aborted || steady.open;
    },
    stop: () => (stopped ??= stop()),
  };

  async function begin(generation: Generation<Channel>): Promise<void> {
    const { channel, session } = generation;
    await declarer.queue(session, topic);
    await channel.prefetch(concurrency);
    const acks = acknowledger(generation);
    const { consumerTag } = await channel.consume(queue, (received) => {
      // The broker reports that the queue was deleted; there is no other sign.
      if (received === null) void generation.end();
      else take({ received, generation, acks });
    });
    consuming = { generation, acks, tag: consumerTag };
  }

  function take(held: Held): void {
    held.acks.add(held.received);
    // If it were given back at once, it would come again at once, until the broker knows that this consumer stops.
    if (stopping.signal.aborted) return void tooLate.push(held);
    const { exchange, routingKey } = held.received.fields;
    if (!cameFor(namespace, topic, { exchange, routingKey })) {
      log.error(
        { topic, exchange, routingKey },
        "a delivery that was published under another topic is dropped: somebody bypassed the permissions",
      );
      return held.acks.ack(held.received);
    }
    underWay.add(held);
    void handle(held);
  }

  async function handle(held: Held): Promise<void> {
    const { received, generation, acks } = held;
    const { gone } = generation;
    const count = deliveryCount(received);
    const message = messageIn(received);
    const disposition = await dispositionOf(handler, { message, count, signal: gone });
    // Once taken back it belongs to another consumer, or comes again here.
    if (!gone.aborted) {
      if (disposition.kind === "ack") acks.ack(received);
      else await passOn(held, message, count, disposition);
    }
    underWay.delete(held);
    if (underWay.size === 0) idle?.();
  }

  /**
   * Publishes what must outlive the delivery, and then acks: a crash between the two gives two messages, never none. While that fails the delivery is held:
   * if it were given back, it would come again at once, and soon reach the broker's own limit of deliveries.
   */
  async function passOn(held: Held, message: Message, count: number, disposition: Exclude<Disposition, { kind: "ack" }>): Promise<void> {
    const { received, generation, acks } = held;
    const { gone, session } = generation;
    for (let tries = 1; ; tries++) {
      try {
        if (disposition.kind === "retry") await sendAgain(session, message, count, disposition.after);
        else await bury(session, message, count, disposition.reason);
        return acks.ack(received);
      } catch (error) {
        if (gone.aborted) return;
        log.error({ ...faultFields(error), topic }, "a delivery cannot be settled yet and is held");
        const over = AbortSignal.any([stopping.signal, gone]);
        await wait(backoffMs(tries + 3, random), undefined, { signal: over }).catch(() => undefined);
        if (over.aborted || !(error instanceof BusUnavailable)) return acks.giveBack(received);
      }
    }
  }

  function messageIn(received: ConsumeMessage): Message {
    const message = fromWire(topic, received);
    return isDead ? asDeadLetter(message, received.properties.headers ?? {}, { namespace, now: clock() }) : message;
  }

  /** Publishes the message to the rung where it waits for its time. */
  async function sendAgain(session: Session, message: Message, count: number, after: number): Promise<void> {
    const rungMs = rungFor(after);
    const wire = toWire(message);
    wire.properties.headers[DELIVERIES_HEADER] = count;
    const publication = { topic, route: retryRoute(namespace, topic, rungMs), wire, kept: true };
    await routed(publication, () => (rungMs === 0 ? declarer.queue(session, topic) : declarer.rung(session, topic, rungMs)));
  }

  async function bury(session: Session, message: Message, deliveries: number, reason: string): Promise<void> {
    const letter = deadLetterMessage(message, { queue: topic, reason, deliveries, history: [], now: clock() });
    const publication = { topic: letter.topic, route: queueRoute(namespace, letter.topic), wire: toWire(letter), kept: true };
    await routed(publication, () => declarer.queue(session, topic));
  }

  /** A rung is declared when it is first needed; and any queue may have been deleted, which nothing else would ever create again. */
  async function routed(publication: Publication, declare: () => Promise<void>): Promise<void> {
    try {
      await publisher.publish(publication);
    } catch (error) {
      if (!(error instanceof Unroutable)) throw error;
      await declare();
      await publisher.publish(publication);
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    if (consuming && !consuming.generation.gone.aborted) await settled(consuming.generation.channel.cancel(consuming.tag), CANCEL_MS);
    for (const { acks, received } of tooLate) acks.giveBack(received);
    if (underWay.size > 0) await settled(new Promise<void>((resolve) => (idle = resolve)), drainMs);
    consuming?.acks.flush();
    await steady.close();
  }
}

const CANCEL_MS = 2000;

interface Consuming {
  readonly generation: Generation<Channel>;
  readonly acks: Acknowledger;
  /** The broker's name for this consumer. */
  readonly tag: string;
}

/** A delivery in hand. */
interface Held {
  readonly received: ConsumeMessage;
  readonly generation: Generation<Channel>;
  readonly acks: Acknowledger;
}
