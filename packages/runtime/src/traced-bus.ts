import type { Delivery, Disposition, MessageBus } from "@toolbus/bus";
import { isResultTopic, type Message } from "@toolbus/contracts";
import {
  attributeNames,
  type Attributes,
  currentCarrier,
  errorType,
  isInDeliverySpan,
  measure,
  metricNames,
  type Span,
  spanEvents,
  spanNames,
  spansAreOn,
  withinReceived,
  withSpan,
} from "@toolbus/telemetry";
import { carrying } from "./carried-context.ts";

export interface TracedBusOptions {
  /** The service to which the spans belong. */
  readonly service: string;
  /** The value of `messaging.system`: memory, rabbitmq or nats. */
  readonly system: string;
  /** Returns the wall-clock time in milliseconds. */
  readonly clock: () => number;
  readonly monotonic: () => number;
}

/**
 * Returns the bus with a producer span around every publish and a consumer span around every delivery, so that a trace continues in the consumer. The
 * answer to a tool call has no producer span, because its publish is the end of the call's consumer span.
 * While telemetry is off, the bus only forwards the trace context of a request or a message.
 */
export function tracedBus(bus: MessageBus, { service, system, clock, monotonic }: TracedBusOptions): MessageBus {
  const inherited: Attributes = { [attributeNames.service]: service };
  const publishing = perTopic((topic) => ({ name: spanNames.publish(topic), shared: about(topic, "publish", "send") }));
  const processing = perTopic((topic) => ({ name: spanNames.process(topic), shared: about(topic, "process", "process") }));
  return {
    publish: (message) =>
      measured(message, () =>
        spansAreOn() && !isAnswer(message) ? publishInSpan(message) : bus.publish(carrying(message, currentCarrier())),
      ),
    consume: (topic, handler, options) => bus.consume(topic, (delivery) => take(topic, delivery, handler), options),
    announce: (message) => bus.announce(carrying(message, currentCarrier())),
    listen: (topic, listener) => bus.listen(topic, (message) => withinReceived(message.attributes, () => listener(message))),
    unready: () => bus.unready(),
    warnings: () => bus.warnings?.() ?? [],
    close: () => bus.close(),
  };

  function publishInSpan(message: Message): Promise<void> {
    const { name, shared } = publishing(message.topic);
    const parent = { how: "made", carrier: message.attributes } as const;
    // The message has this span's context, so that the consumer's span is its child and not its sibling.
    return withSpan(name, { kind: "producer", parent, inherited, shared, attributes: idsOf(message) }, () =>
      bus.publish({ ...message, attributes: { ...message.attributes, ...currentCarrier() } }),
    );
  }

  /** Measures the age at the confirm, and at each failed try. So the age of a message that the broker does not take is seen while it grows. */
  async function measured(message: Message, publish: () => Promise<void>): Promise<void> {
    const tags = { [attributeNames.messagingDestination]: message.topic };
    try {
      await publish();
    } catch (error) {
      measure(metricNames.publishAge, ageOf(message), { ...tags, [attributeNames.errorType]: errorType(error) });
      throw error;
    }
    measure(metricNames.publishAge, ageOf(message), tags);
  }

  function ageOf({ time }: Message): number {
    return Math.max(0, clock() - Date.parse(time));
  }

  async function take(topic: string, delivery: Delivery, handler: (delivery: Delivery) => Promise<Disposition>): Promise<Disposition> {
    const started = monotonic();
    const tags = { [attributeNames.messagingSystem]: system, [attributeNames.messagingDestination]: topic };
    // A repeated delivery waited on purpose, so its age says nothing about the queue.
    if (delivery.count === 1) measure(metricNames.queueAge, ageOf(delivery.message), { [attributeNames.messagingDestination]: topic });
    const settled = spansAreOn()
      ? await takeInSpan(topic, delivery, handler)
      : await withinReceived(delivery.message.attributes, () => handler(delivery));
    measure(metricNames.processDuration, (monotonic() - started) / 1000, { ...tags, [attributeNames.disposition]: settled.kind });
    if (settled.kind === "retry") measure(metricNames.retries, 1, tags);
    return settled;
  }

  function takeInSpan(topic: string, delivery: Delivery, handler: (delivery: Delivery) => Promise<Disposition>): Promise<Disposition> {
    const { message, count } = delivery;
    const { name, shared } = processing(topic);
    const attributes = { ...idsOf(message), [attributeNames.deliveries]: count };
    const parent = { how: "received", carrier: message.attributes } as const;
    return withSpan(name, { kind: "consumer", parent, inherited, shared, attributes }, async (span) => {
      const settled = await handler(delivery);
      recordOutcome(span, settled);
      return settled;
    });
  }

  function about(topic: string, operation: string, type: string): Attributes {
    return {
      [attributeNames.messagingSystem]: system,
      [attributeNames.messagingOperationName]: operation,
      [attributeNames.messagingOperationType]: type,
      [attributeNames.messagingDestination]: topic,
    };
  }
}

function idsOf(message: Message): Attributes {
  return { [attributeNames.messageId]: message.id, [attributeNames.messageConversationId]: message.correlationId };
}

/** Returns a function that makes something once per topic. There are few topics, but a faulty sender must not fill the memory. */
function perTopic<T>(make: (topic: string) => T): (topic: string) => T {
  const made = new Map<string, T>();
  return (topic) => {
    const known = made.get(topic);
    if (known) return known;
    const one = make(topic);
    if (made.size < MOST_TOPICS) made.set(topic, one);
    return one;
  };
}

const MOST_TOPICS = 1000;

/** An answer that the handler of the call publishes belongs to the span of the call, which lasts until the broker has confirmed the answer. */
function isAnswer({ topic }: Message): boolean {
  return isResultTopic(topic) && isInDeliverySpan();
}

function recordOutcome(span: Span, settled: Disposition): void {
  span.set({ [attributeNames.disposition]: settled.kind });
  if (settled.kind === "retry") span.event(spanEvents.retry, { [attributeNames.retryAfterMs]: settled.after });
  // A call that failed has the code of its failure.
  if (settled.kind === "dead-letter" && !span.failed) span.fail("dead_letter");
}

/** Returns the `messaging.system` of the bus that a URL names. */
export function messagingSystem(busUrl: string): string {
  const scheme = busUrl.slice(0, Math.max(0, busUrl.indexOf(":"))).toLowerCase();
  if (scheme.startsWith("amqp")) return "rabbitmq";
  return scheme === "tls" ? "nats" : scheme;
}
