import type { Message } from "@toolbus/contracts";

/**
 * The bus only transports messages. The state store is the source of truth. If a message is lost, a service sends it again when a timer in the store
 * is due.
 *
 * Every adapter gives these guarantees, and `describeMessageBus` proves them:
 * - `publish` resolves when the broker has stored the message safely and has routed it to a queue. It rejects with `Unroutable` when no queue takes
 *   the topic. It rejects with `NotPermitted` when this login may not publish to the topic, which does not affect other publishes. It rejects with
 *   `BusUnavailable` when the outcome is unknown. The message may then arrive, so publish it again with the same id.
 * - `consume` delivers at least once, to competing consumers. If a consumer disappears before it settles a delivery, the message is delivered again,
 *   to any consumer, with a higher `count`. The order is not guaranteed. The bus may drop a repeated message id as a duplicate, but need not.
 * - The bus keeps dead letters. It declares the queue of a topic together with `dead.<topic>`, so a dead letter is routed before anyone reads it. The
 *   adapter makes a dead letter with `deadLetterMessage` and forgets the delivery once the dead letter is confirmed. (The consume pipeline publishes
 *   its own dead letters, with the history that it saw, and acks.)
 * - `announce` is a best-effort broadcast. Only current listeners can receive the message, and some may miss it.
 * - `unready` returns an empty list when the bus has opened. Its later reasons disappear by themselves when the broker is back. Once the bus has
 *   begun to close, it always returns a reason.
 * - `close` stops deliveries and waits for running handlers, which may still publish. After that, every method rejects with `BusUnavailable`. If a
 *   handler exceeds the adapter's drain time, its signal aborts and the message is delivered again.
 *
 * RabbitMQ quorum queues and NATS JetStream can both give these guarantees. The memory adapter is the reference.
 */
export interface MessageBus {
  publish(message: Message): Promise<void>;
  /**
   * Declares the queue of this topic, which outlives its consumers, and consumes from it. Resolves when deliveries may arrive. The handler's result
   * settles the delivery. If the handler throws, the delivery is retried after `RETRY_AFTER_THROW_MS`.
   */
  consume(topic: string, handler: DeliveryHandler, options: { readonly concurrency: number }): Promise<Subscription>;
  /** Sends a message to every listener of its topic. Resolves when the adapter has passed the message on, and does not wait for listeners. */
  announce(message: Message): Promise<void>;
  /** Resolves when announcements may arrive. If a listener throws, the others still receive the message. */
  listen(topic: string, listener: (message: Message) => void): Promise<Subscription>;
  /**
   * Returns the reasons why the bus cannot transport messages now. Each reason has a few words, and strangers may read it. The list is empty if
   * messages flow. The adapter does not ask the broker, so it learns only later that the broker has stopped answering.
   */
  unready(): readonly string[];
  /**
   * Returns warnings, one sentence each, which strangers may read. A warning means that the broker still delivers messages but accepts no new ones
   * for now. Until the broker accepts messages again, accepted work waits in the outbox. The method is absent if the adapter cannot know this.
   */
  warnings?(): readonly string[];
  /** Closes the bus. A second call is safe. */
  close(): Promise<void>;
}

export interface Delivery {
  readonly message: Message;
  /**
   * The number of this delivery, from 1. It counts retries and deliveries whose consumer crashed. The number may be too low. It may be too high, by
   * at most the number of the broker's restarts.
   */
  readonly count: number;
  /** Aborts when the delivery was taken back. Its consumer or its bus ran out of drain time, or the broker gave the message to another consumer. */
  readonly signal: AbortSignal;
}

/**
 * The handler's decision about a delivery. `after` is in milliseconds. An ack with `evenIfLost` says that the work is done, whoever has the message now.
 * A bus that can still remove the message does so, although the broker may have given it to another consumer. A bus may also ignore this field.
 */
export type Disposition =
  | { readonly kind: "ack"; readonly evenIfLost?: true }
  | { readonly kind: "retry"; readonly after: number; readonly reason: string }
  | { readonly kind: "dead-letter"; readonly reason: string };

export type DeliveryHandler = (delivery: Delivery) => Promise<Disposition>;

export interface Subscription {
  /** Stops new deliveries and waits for running handlers, at most for the adapter's drain time. A second call is safe. */
  stop(): Promise<void>;
}

export const RETRY_AFTER_THROW_MS = 1000;

/** The reason that `unready` returns once the bus has begun to close. */
export const BUS_IS_CLOSED = "the bus is closed";

/** No queue takes this topic, because its consumers have never started. */
export class Unroutable extends Error {
  readonly code: string = "unroutable";
  override readonly name: string = "Unroutable";
}

/** The broker refuses this login's messages to this topic until somebody gives the login the right. The message did not arrive. */
export class NotPermitted extends Unroutable {
  override readonly code = "not_permitted";
  override readonly name = "NotPermitted";
}

/** The broker cannot be reached, or it did not confirm the message. The message may still arrive. */
export class BusUnavailable extends Error {
  readonly code = "bus_unavailable";
  override readonly name = "BusUnavailable";
}
