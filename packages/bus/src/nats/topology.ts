import { MAX_BODY_BYTES, topics } from "@toolbus/contracts";
import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";

/**
 * The kinds of queues of a bus on NATS. Declarations and permissions use the names that this file builds.
 *
 * Each kind of queue has one work-queue stream, which accepts every subject of that kind. Each topic has one durable pull consumer. The filters of
 * the consumers do not overlap, because a work queue refuses that. A topic is routed if its consumer exists, whatever subjects a stream accepts. So a
 * new topic needs no change of a stream's subjects. Such changes would be unsafe: if two processes made them at the same time, one change would be
 * lost.
 */
export const QUEUE_KINDS = ["invoke", "reply", "approval", "work", "dead"] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

/** The place where the messages of a topic wait. */
export interface QueuePlace {
  readonly kind: QueueKind;
  readonly stream: string;
  /** The subject to which the messages are published. */
  readonly subject: string;
  /** The name of the topic's consumer. */
  readonly durable: string;
}

const KIND_OF_PREFIX: readonly (readonly [prefix: string, kind: QueueKind])[] = [
  [topics.dead(""), "dead"],
  [topics.invoke(""), "invoke"],
  ["tool.plan.", "invoke"],
  [topics.result(""), "reply"],
  ["tool.planned.", "reply"],
  ["agent.response.", "reply"],
  ["approval.", "approval"],
];

/**
 * A topic consists of words of letters, digits, hyphens and underscores, with dots between them. So nothing in a topic can be a wildcard or
 * end a subject.
 */
const TOPIC = /^[\w-]+(?:\.[\w-]+)*$/;
const LONGEST_TOPIC = 180;

/** Returns the place of a topic, or null if the topic is invalid. The check prevents a reply topic from reaching another subject. */
export function queuePlace(namespace: string, topic: string): QueuePlace | null {
  if (!isTopic(topic)) return null;
  const kind = KIND_OF_PREFIX.find(([prefix]) => topic.startsWith(prefix))?.[1] ?? "work";
  return {
    kind,
    stream: streamName(namespace, kind),
    subject: `${namespace}.${kind}.${topic}`,
    // A consumer's name contains no dots. The topic's underscores are escaped, so that no two topics share a name.
    durable: `${namespace}_${topic.replaceAll("_", "=").replaceAll(".", "_")}`,
  };
}

/** Returns the place of a topic of our own choice. Throws a RangeError if the topic is invalid. */
export function placeOf(namespace: string, topic: string): QueuePlace {
  const place = queuePlace(namespace, topic);
  if (!place) throw noTopic(topic);
  return place;
}

/** Returns the subject on which the messages of a broadcast topic are sent. Throws a RangeError if the topic is invalid. */
export function broadcastSubject(namespace: string, topic: string): string {
  if (!isTopic(topic)) throw noTopic(topic);
  return `${namespace}.broadcast.${topic}`;
}

function noTopic(topic: string): RangeError {
  return new RangeError(`"${topic.slice(0, 60)}" is not a topic: topics are words of letters, digits, _ and - with dots between them.`);
}

/** Returns the topic in a subject of this namespace. */
export function topicOf(subject: string): string {
  return subject.slice(subject.indexOf(".", subject.indexOf(".") + 1) + 1);
}

/**
 * Returns the prefix of every reply subject of a user's connections. A user may get `<prefix>.>` as its only right to subscribe. If `_INBOX.>` were
 * open to all users, each could read the messages that another one pulls.
 */
export function inboxPrefix(namespace: string, user: string): string {
  return `_INBOX_${namespace}_${user.replaceAll(/[^\w-]/g, "-")}`;
}

/** The largest message, with room for 64 KiB of attributes, even if each of their bytes is escaped as three. */
export const LARGEST_MESSAGE_BYTES = MAX_BODY_BYTES + 256 * 1024;

/** The number of nanoseconds in a millisecond. JetStream measures times in nanoseconds. */
export const NANOS = 1_000_000;

/** The settings that a stream must have. The server chooses the others. */
export type StreamDeclaration = Required<
  Pick<
    StreamConfig,
    "name" | "subjects" | "retention" | "storage" | "discard" | "max_bytes" | "max_msg_size" | "duplicate_window" | "num_replicas"
  >
>;

/** Returns the settings of a stream. When it is full, it refuses new messages and does not drop waiting ones. */
export function streamDeclaration(
  namespace: string,
  kind: QueueKind,
  { replicas, maxBytes }: { readonly replicas: number; readonly maxBytes: number },
): StreamDeclaration {
  return {
    name: streamName(namespace, kind),
    subjects: [`${namespace}.${kind}.>`],
    retention: "workqueue",
    storage: "file",
    discard: "new",
    max_bytes: maxBytes,
    max_msg_size: LARGEST_MESSAGE_BYTES,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS,
    num_replicas: replicas,
  };
}

const DUPLICATE_WINDOW_MS = 120_000;

/**
 * The maximum number of deliveries that are handled or wait for a retry, over all replicas that share the consumer. Each replica limits its own
 * handlers by the number of messages that it requests. If this limit were one replica's concurrency, the other replicas would be idle, and messages
 * that wait for a retry would block the rest.
 */
export const MAX_ACK_PENDING = 10_000;

/**
 * Returns the consumer of a topic. It has no limit of deliveries, because the server would keep a message over the limit in the stream, where nobody
 * sees it. The pipeline has such a limit.
 */
export function consumerDeclaration({ subject, durable }: QueuePlace, ackWaitMs: number) {
  return {
    durable_name: durable,
    name: durable,
    filter_subject: subject,
    deliver_policy: "all",
    ack_policy: "explicit",
    ack_wait: ackWaitMs * NANOS,
    max_deliver: -1,
    max_ack_pending: MAX_ACK_PENDING,
  } as const satisfies Partial<ConsumerConfig>;
}

function streamName(namespace: string, kind: QueueKind): string {
  return `${namespace.toUpperCase()}_${kind.toUpperCase()}`;
}

function isTopic(topic: string): boolean {
  return topic.length <= LONGEST_TOPIC && TOPIC.test(topic);
}
