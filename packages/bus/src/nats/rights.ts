import { topics } from "@toolbus/contracts";
import { broadcastSubject, inboxPrefix, placeOf, QUEUE_KINDS, type StreamDeclaration, streamDeclaration } from "./topology.ts";

/** What a service does on the bus, by topics. */
export interface NatsDuties {
  readonly publishes: readonly string[];
  readonly consumes: readonly string[];
  readonly announces: readonly string[];
  readonly listens: readonly string[];
}

/** The subjects that a user of the servers is allowed, and no others: the lists of `permissions` in their configuration. */
export interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * The least that a user needs for its duties. It may not make or change streams, which `natsStreams` lists for whoever keeps the servers, and it may
 * declare only the consumers of its own topics and of their dead letters. Nothing of another user can reach it: its replies have a prefix of its own.
 */
export function natsRights(namespace: string, user: string, { publishes, consumes, announces, listens }: NatsDuties): NatsRights {
  const queues = consumes.map((topic) => placeOf(namespace, topic));
  const dead = consumes.map((topic) => placeOf(namespace, topics.dead(topic)));
  const published = [...publishes.map((topic) => placeOf(namespace, topic)), ...dead];
  return {
    publish: distinct([
      "$JS.API.INFO",
      ...published.flatMap(({ stream, subject, durable }) => [subject, `$JS.API.CONSUMER.INFO.${stream}.${durable}`]),
      ...[...queues, ...dead].flatMap(({ stream, subject, durable }) => [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
      ]),
      ...queues.flatMap(({ stream, durable }) => [`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, `$JS.ACK.${stream}.${durable}.>`]),
      ...announces.map((topic) => broadcastSubject(namespace, topic)),
    ]),
    subscribe: distinct([`${inboxPrefix(namespace, user)}.>`, ...listens.map((topic) => broadcastSubject(namespace, topic))]),
  };
}

/** The streams of a namespace, as `nats stream add --config` takes each. A login with all rights makes them by itself. */
export function natsStreams(
  namespace: string,
  settings: { readonly replicas: number; readonly maxBytes: number },
): readonly StreamDeclaration[] {
  return QUEUE_KINDS.map((kind) => streamDeclaration(namespace, kind, settings));
}

function distinct(subjects: readonly string[]): readonly string[] {
  return [...new Set(subjects)];
}
