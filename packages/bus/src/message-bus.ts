import type { Message } from "@toolbus/contracts";

/**
 * The bus: transport, never truth. The state store's timers send lost messages again.
 *
 * Guarantees of every adapter, proved by `describeMessageBus`:
 * - `publish` resolves when the broker holds the message safely and it was routed to a queue; it rejects with `Unroutable` when no queue takes
 *   the topic (`NotPermitted` when this login may not publish to it, which does not affect other publishes), with `BusUnavailable` when the outcome is unknown (the message may arrive: publish it again with the same id).
 * - `consume` is competing and at least once. A delivery that is not settled before its consumer is gone comes again, to any consumer, with a
 *   higher `count`. Order is not promised. A repeat of one message id may or may not be dropped as a duplicate.
 * - A dead letter is kept: the queue of a topic and `dead.<topic>` are declared together, so a dead letter is routed before anyone reads it. The
 *   adapter makes it with `deadLetterMessage` and forgets the delivery when it is confirmed. (The consume pipeline publishes its own, with
 *   the history that it saw, and acks.)
 * - `announce` is broadcast, best effort: listeners at that moment may get it.
 * - `unready` is empty once the bus is open and never again once its close began. Its reasons disappear by themselves when the broker is back.
 * - `close` stops deliveries and waits for the handlers under way, which may still publish; from then on everything rejects with
 *   `BusUnavailable`. A handler that outlives the adapter's drain time is given up: its signal aborts and its delivery comes again.
 *
 * These are guarantees that RabbitMQ quorum queues and NATS JetStream can both keep. The memory adapter is the reference.
 */
export interface MessageBus {
  publish(message: Message): Promise<void>;
  /**
   * Declares the queue of this topic, which outlives its consumers, and consumes from it. Resolves when deliveries may arrive. The handler's
   * value settles the delivery; a handler that throws is retried after `RETRY_AFTER_THROW_MS`.
   */
  consume(topic: string, handler: DeliveryHandler, options: { readonly concurrency: number }): Promise<Subscription>;
  /** Notifies every listener of the topic; resolves when it is handed over. */
  announce(message: Message): Promise<void>;
  /** Resolves when announcements may arrive. A listener that throws does not affect others. */
  listen(topic: string, listener: (message: Message) => void): Promise<Subscription>;
  /**
   * Why messages do not flow now, in a few words each that strangers may read; empty if they do. It is what the adapter knows without asking: it may not
   * have noticed yet that a broker stopped answering a moment ago.
   */
  unready(): readonly string[];
  /**
   * What its broker lacks although deliveries come, a sentence each that strangers may read: it accepts no messages for now. Accepted work waits in the
   * outbox meanwhile. Absent if the adapter cannot know.
   */
  warnings?(): readonly string[];
  /** Safe to call twice. */
  close(): Promise<void>;
}

export interface Delivery {
  readonly message: Message;
  /** 1 the first time. Counts crashes of consumers as well as retries; a broker may count too few, never too many by more than its own restarts. */
  readonly count: number;
  /** Aborts when the delivery was taken back: its consumer or its bus ran out of drain time, or the broker gave it to another. */
  readonly signal: AbortSignal;
}

/** What to do with a delivery. `after` is in milliseconds. */
export type Disposition =
  | { readonly kind: "ack" }
  | { readonly kind: "retry"; readonly after: number; readonly reason: string }
  | { readonly kind: "dead-letter"; readonly reason: string };

export type DeliveryHandler = (delivery: Delivery) => Promise<Disposition>;

export interface Subscription {
  /** Stops new deliveries and waits for the handlers under way, for the adapter's drain time at most. Safe to call twice. */
  stop(): Promise<void>;
}

export const RETRY_AFTER_THROW_MS = 1000;

/** What a bus reports from the beginning of its close. */
export const BUS_IS_CLOSED = "the bus is closed";

/** No queue takes this topic: its consumers have never started. */
export class Unroutable extends Error {
  readonly code: string = "unroutable";
  override readonly name: string = "Unroutable";
}

/** No queue takes this topic from this login: the broker refuses it until somebody gives it the right. Nothing arrived. */
export class NotPermitted extends Unroutable {
  override readonly code = "not_permitted";
  override readonly name = "NotPermitted";
}

/** The broker cannot be reached or did not confirm. The message may arrive. */
export class BusUnavailable extends Error {
  readonly code = "bus_unavailable";
  override readonly name = "BusUnavailable";
}
