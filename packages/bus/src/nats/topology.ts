import { MAX_BODY_BYTES, topics } from "@toolbus/contracts";
import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";

/**
 * The objects of a bus on the servers, as plain data; permissions are generated from the same names.
 *
 * There is one work-queue stream for each kind of queue, which takes every subject of that kind, and one durable pull consumer for each topic, with filters
 * that do not overlap (a work queue refuses others). A topic is routed if its consumer exists, not if a stream takes its subject: so topics need no change
 * of a stream's subjects, which two processes could not make at the same time without one of them losing.
 */
export const QUEUE_KINDS = ["invoke", "reply", "approval", "work", "dead"] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

/** Where the messages of a topic wait. */
export interface QueuePlace {
  readonly kind: QueueKind;
  readonly stream: string;
  /** What is published to. */
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

/** Words of letters, digits, hyphens and underscores with dots between them: nothing in a topic can be a wildcard or end a subject. */
const TOPIC = /^[\w-]+(?:\.[\w-]+)*$/;
const LONGEST_TOPIC = 180;

/** Null if it is not a topic here, so that nobody reaches another subject by way of a reply topic. */
export function queuePlace(namespace: string, topic: string): QueuePlace | null {
  if (!isTopic(topic)) return null;
  const kind = KIND_OF_PREFIX.find(([prefix]) => topic.startsWith(prefix))?.[1] ?? "work";
  return {
    kind,
    stream: streamName(namespace, kind),
    subject: `${namespace}.${kind}.${topic}`,
    // A consumer's name contains no dots; the topic's underscores are escaped, so that no two topics share a name.
    durable: `${namespace}_${topic.replaceAll("_", "=").replaceAll(".", "_")}`,
  };
}

/** The same for a topic of our own choice. Throws a RangeError for an invalid one. */
export function placeOf(namespace: string, topic: string): QueuePlace {
  const place = queuePlace(namespace, topic);
  if (!place) throw noTopic(topic);
  return place;
}

/** The subject of announcements. Throws a RangeError for an invalid topic. */
export function broadcastSubject(namespace: string, topic: string): string {
  if (!isTopic(topic)) throw noTopic(topic);
  return `${namespace}.broadcast.${topic}`;
}

function noTopic(topic: string): RangeError {
  return new RangeError(`"${topic.slice(0, 60)}" is not a topic: topics are words of letters, digits, _ and - with dots between them.`);
}

/** The topic in a subject of this namespace. */
export function topicOf(subject: string): string {
  return subject.slice(subject.indexOf(".", subject.indexOf(".") + 1) + 1);
}

/**
 * The prefix of every reply subject of a connection. A separate user may get `<prefix>.>` as its only right to subscribe: with `_INBOX.>` open to all, each
 * could read what another one pulls.
 */
export function inboxPrefix(namespace: string, user: string): string {
  return `_INBOX_${namespace}_${user.replaceAll(/[^\w-]/g, "-")}`;
}

/** With room for 64 KiB of attributes, even if each of their bytes is escaped as three. */
export const LARGEST_MESSAGE_BYTES = MAX_BODY_BYTES + 256 * 1024;

/** Nanoseconds in a millisecond: JetStream counts in those. */
export const NANOS = 1_000_000;

/** What a stream must be; the rest is the server's choice. */
export type StreamDeclaration = Required<
  Pick<
    StreamConfig,
    "name" | "subjects" | "retention" | "storage" | "discard" | "max_bytes" | "max_msg_size" | "duplicate_window" | "num_replicas"
  >
>;

/** A full stream refuses new messages rather than drop waiting ones. */
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
 * Deliveries that are handled or wait for their retry, over all replicas that share the consumer; at this number no more come. Each replica decides how
 * many it handles by how many it requests: a limit of one replica's concurrency would leave the others idle, and let messages that wait for a retry block
 * the rest.
 */
export const MAX_ACK_PENDING = 10_000;

/** The consumer of a topic. It delivers for ever: the server would keep a given-up message unseen, so the limit is the pipeline's. */
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
