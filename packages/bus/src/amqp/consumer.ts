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
  /** False while deliveries cannot arrive, because the channel was lost and has not begun again. */
  readonly open: boolean;
}

export interface ConsumerOptions extends SteadyChannelOptions {
  readonly namespace: string;
  readonly declarer: Declarer;
  readonly publisher: Publisher;
  /** The wall clock, in milliseconds, which dates dead letters. */
  readonly clock: () => number;
  /** How long a stop waits for running handlers, in milliseconds. */
  readonly drainMs: number;
}

/**
 * Consumes the queue of a topic, on its own channel. If the channel is lost or the queue is deleted, the consumer declares everything again and
 * continues. It then no longer owns the deliveries of the old channel. Their signals abort, and the consumer ignores the results of their handlers.
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
  /** The deliveries with running handlers, including those of lost channels. */
  const underWay = new Set<Held>();
  /** The deliveries that arrived after the stop began. */
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
    const acks = acknowledger(generation, concurrency);
    const { consumerTag } = await channel.consume(queue, (received) => {
      // A null is the broker's only sign that the queue was deleted.
      if (received === null) void generation.end();
      else take({ received, generation, acks });
    });
    consuming = { generation, acks, tag: consumerTag };
  }

  function take(held: Held): void {
    held.acks.add(held.received);
    // Keeps the delivery until the end. If the consumer gave it back at once, the broker would send it here again until it knows that this consumer
    // stops.
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
    // Once the broker has taken the delivery back, it delivers the message again, and this result changes nothing.
    if (!gone.aborted) {
      if (disposition.kind === "ack") acks.ack(received);
      else await passOn(held, message, count, disposition);
    }
    underWay.delete(held);
    if (underWay.size === 0) idle?.();
  }

  /**
   * Publishes the retry or the dead letter, and then acks. A crash between the two causes a second message and loses nothing. While the
   * publish fails, the consumer does not give the delivery back. Otherwise the broker would deliver it again at once, and soon reach its own
   * limit of deliveries.
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

  /** Publishes the message to the rung where it waits for its next delivery. */
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

  /**
   * Publishes a message. If no queue takes it, declares the queue and publishes again. A rung does not exist before the first retry that needs it.
   * Somebody may also have deleted a queue, and nothing else would create it again.
   */
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

/** A delivery that is not settled yet. */
interface Held {
  readonly received: ConsumeMessage;
  readonly generation: Generation<Channel>;
  readonly acks: Acknowledger;
}
