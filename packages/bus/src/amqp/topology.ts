import { topics } from "@toolbus/contracts";
import { RUNGS_MS } from "./retry-ladder.ts";

/**
 * The kinds of exchanges of a bus on RabbitMQ. Declarations, policies and permissions use the names that this file builds.
 *
 * There are four topic exchanges, so that topic permissions can specify who publishes what (`set_topic_permissions user exchange write read`):
 * - `<namespace>.work` receives the messages of queues, under their topic. An agent may write `^tool\.invoke\.`, and a worker `^tool\.result\.`.
 * - `<namespace>.dead` receives dead letters, under the topic whose queue contained them. RabbitMQ does not change a routing key when it gives a
 *   message up, so its dead letters reach the same queue.
 * - `<namespace>.retry` receives messages for another delivery, under `<milliseconds>.<topic>`.
 * - `<namespace>.broadcast` receives announcements, under their topic.
 *
 * No service publishes to the default exchange, because its key is the name of a queue and no topic permission covers this exchange. Topic
 * permissions are only a second line of defence. RabbitMQ does not check topic permissions when a queue dead-letters a message. So a user who may
 * declare any queue, and may write to `work`, can bypass them. The first line of defence is the grant and the secret of each call.
 */
export const EXCHANGE_KINDS = ["work", "dead", "retry", "broadcast"] as const;
export type ExchangeKind = (typeof EXCHANGE_KINDS)[number];

/** An exchange and a routing key, for publishing a message or binding a queue. */
export interface Route {
  readonly exchange: string;
  readonly routingKey: string;
}

/** A durable queue. A setting that may change later is a policy, because RabbitMQ refuses a changed argument (406). */
export interface QueueDeclaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  readonly bindings: readonly Route[];
}

export function exchangeName(namespace: string, kind: ExchangeKind): string {
  return `${namespace}.${kind}`;
}

/**
 * Returns whether a queue can have this topic. A topic consists of words of letters, digits, hyphens and underscores, with dots between them. A `*`
 * or `#` would be a pattern. The limit keeps every name on the wire within 255 bytes, even for a ladder's rungs with the longest namespace.
 */
export function isTopic(topic: string): boolean {
  return topic.length <= LONGEST_TOPIC && TOPIC.test(topic);
}

const TOPIC = /^[\w-]+(?:\.[\w-]+)*$/;
const LONGEST_TOPIC = 190;
const DEAD = topics.dead("");

/** Returns the route to the queue of a topic. */
export function queueRoute(namespace: string, topic: string): Route {
  return topic.startsWith(DEAD)
    ? { exchange: exchangeName(namespace, "dead"), routingKey: topic.slice(DEAD.length) }
    : { exchange: exchangeName(namespace, "work"), routingKey: topic };
}

export function queueName(namespace: string, topic: string): string {
  return `${namespace}.queue.${topic}`;
}

/** Returns the queue of a topic. A message that is retried at once arrives through the second binding. */
export function queueDeclaration(namespace: string, topic: string): QueueDeclaration {
  return {
    name: queueName(namespace, topic),
    arguments: { "x-queue-type": "quorum" },
    bindings: [queueRoute(namespace, topic), retryRoute(namespace, topic, 0)],
  };
}

/** Returns the route for a message that is delivered again after `rungMs` milliseconds, where 0 means at once. */
export function retryRoute(namespace: string, topic: string, rungMs: number): Route {
  return { exchange: exchangeName(namespace, "retry"), routingKey: `${rungMs}.${topic}` };
}

/**
 * Returns whether a delivery arrived under the key of this topic. RabbitMQ (measured with 3.10) also routes by the headers CC and BCC, and does not
 * check its topic permissions for them. But the delivery contains the key that RabbitMQ has checked. No service may write to the default exchange, so
 * only the broker's operator can have published a message that arrives from there.
 */
export function cameFor(namespace: string, topic: string, { exchange, routingKey }: Route): boolean {
  return (
    exchange === "" || [queueRoute(namespace, topic), retryRoute(namespace, topic, 0)].some((route) => route.routingKey === routingKey)
  );
}

/**
 * Returns a queue without consumers, where each message waits for `rungMs` and then returns to the queue of its topic. The arguments define the queue
 * and never change. This queue releases a message only when the queue of the topic has confirmed it. RabbitMQ supports this only for quorum queues
 * that refuse messages over their limit.
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

/** All objects that stay on the broker for a set of topics. */
export interface AmqpTopology {
  /** The names of the durable topic exchanges. */
  readonly exchanges: readonly string[];
  readonly queues: readonly QueueDeclaration[];
}

/**
 * Returns everything that consumers of these topics declare, including all rungs of the ladders. On the broker, a rung exists only once a retry has
 * needed it.
 */
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

/** Returns the name of the queue for one connection's listeners. The queue is deleted with the connection. */
export function listenQueueName(namespace: string, id: string): string {
  return `${namespace}.listen.${id}`;
}
