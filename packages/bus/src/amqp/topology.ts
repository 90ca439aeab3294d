import { topics } from "@toolbus/contracts";
import { RUNGS_MS } from "./retry-ladder.ts";

/**
 * The objects of a bus on RabbitMQ, as plain data: declarations, policies and permissions come from the same names.
 *
 * Four topic exchanges, so that RabbitMQ's topic permissions can say who publishes what (`set_topic_permissions user exchange write read`):
 * - `<namespace>.work` takes the messages of queues, under their topic: an agent may write `^tool\.invoke\.`, a worker `^tool\.result\.`.
 * - `<namespace>.dead` takes dead letters, under the topic whose queue held them. RabbitMQ itself keeps a routing key when it gives a message up,
 *   so that its dead letters find the same queue.
 * - `<namespace>.retry` takes deliveries that come again, under `<milliseconds>.<topic>`.
 * - `<namespace>.broadcast` takes announcements, under their topic.
 *
 * Nothing is published to the default exchange, whose key is the name of a queue and which no topic permission covers. Topic permissions are a second wall:
 * RabbitMQ does not check them when a queue dead-letters, so a user who may declare any queue, and may write to `work`, can pass them. The first wall is
 * the grant and the secret of each call.
 */
export const EXCHANGE_KINDS = ["work", "dead", "retry", "broadcast"] as const;
export type ExchangeKind = (typeof EXCHANGE_KINDS)[number];

/** Where something is published to, and what a queue is bound to. */
export interface Route {
  readonly exchange: string;
  readonly routingKey: string;
}

/** A durable queue. Anything that may be changed later is not an argument: a changed argument is refused (406), a policy is not. */
export interface QueueDeclaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  readonly bindings: readonly Route[];
}

export function exchangeName(namespace: string, kind: ExchangeKind): string {
  return `${namespace}.${kind}`;
}

/**
 * Whether a queue can have this topic: words of letters, digits, hyphens and underscores with dots between them. A `*` or `#` would be a pattern, and names
 * on the wire end at 255 bytes, including those of a ladder's rungs with the longest namespace.
 */
export function isTopic(topic: string): boolean {
  return topic.length <= LONGEST_TOPIC && TOPIC.test(topic);
}

const TOPIC = /^[\w-]+(?:\.[\w-]+)*$/;
const LONGEST_TOPIC = 190;
const DEAD = topics.dead("");

/** Where a message for the queue of a topic goes. */
export function queueRoute(namespace: string, topic: string): Route {
  return topic.startsWith(DEAD)
    ? { exchange: exchangeName(namespace, "dead"), routingKey: topic.slice(DEAD.length) }
    : { exchange: exchangeName(namespace, "work"), routingKey: topic };
}

export function queueName(namespace: string, topic: string): string {
  return `${namespace}.queue.${topic}`;
}

/** The queue of a topic. A message that is retried at once comes back through its second binding. */
export function queueDeclaration(namespace: string, topic: string): QueueDeclaration {
  return {
    name: queueName(namespace, topic),
    arguments: { "x-queue-type": "quorum" },
    bindings: [queueRoute(namespace, topic), retryRoute(namespace, topic, 0)],
  };
}

/** The place for a delivery that comes again after one rung of the ladder, in milliseconds; 0 is at once. */
export function retryRoute(namespace: string, topic: string, rungMs: number): Route {
  return { exchange: exchangeName(namespace, "retry"), routingKey: `${rungMs}.${topic}` };
}

/**
 * Whether a delivery came under the key of this topic. RabbitMQ (measured with 3.10) also routes by the headers CC and BCC, and does not check its topic
 * permissions for them; but it passes on the key that it did check. A message from the default exchange, to which no service may write, was put there by
 * the broker's operator.
 */
export function cameFor(namespace: string, topic: string, { exchange, routingKey }: Route): boolean {
  return (
    exchange === "" || [queueRoute(namespace, topic), retryRoute(namespace, topic, 0)].some((route) => route.routingKey === routingKey)
  );
}

/**
 * A queue without consumers: each message waits there for `rungMs` and then goes back to the queue of its topic. Its arguments define it and never change.
 * It releases a message only when the other queue has confirmed it, and RabbitMQ does so only for quorum queues that refuse messages over their limit.
 */
export function rungDeclaration(namespace: string, topic: string, rungMs: number): QueueDeclaration {
  const home = queueRoute(namespace, topic);
  return {
    name: `${namespace}.retry.${rungMs}.${topic}`,
    arguments: {
      "x-queue-type": "quorum",
      "x-message-ttl": rungMs,
      "x-dead-letter-exchange": home.exchange,
      "x-dead-letter-routing-key": home.routingKey,
      "x-dead-letter-strategy": "at-least-once",
      "x-overflow": "reject-publish",
    },
    bindings: [retryRoute(namespace, topic, rungMs)],
  };
}

/** Everything that stays on the broker for these topics. */
export interface AmqpTopology {
  /** Durable topic exchanges. */
  readonly exchanges: readonly string[];
  readonly queues: readonly QueueDeclaration[];
}

/** What consumers of these topics declare, down to the last rung of a ladder, which exists only once it was needed. */
export function amqpTopology(namespace: string, topicNames: readonly string[]): AmqpTopology {
  const names = topicNames.flatMap((topic) => [topic, topics.dead(topic)]);
  return {
    exchanges: EXCHANGE_KINDS.map((kind) => exchangeName(namespace, kind)),
    queues: [...new Set(names)].flatMap((topic) => [
      queueDeclaration(namespace, topic),
      ...RUNGS_MS.map((rungMs) => rungDeclaration(namespace, topic, rungMs)),
    ]),
  };
}

export function broadcastRoute(namespace: string, topic: string): Route {
  return { exchange: exchangeName(namespace, "broadcast"), routingKey: topic };
}

/** The queue of one connection's listeners, which goes with it. */
export function listenQueueName(namespace: string, id: string): string {
  return `${namespace}.listen.${id}`;
}
