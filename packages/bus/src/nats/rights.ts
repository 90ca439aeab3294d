import { topics, type TopicRights } from "@toolbus/contracts";
import {
  broadcastSubject,
  inboxPrefix,
  placeOf,
  QUEUE_KINDS,
  type QueuePlace,
  type StreamDeclaration,
  streamDeclaration,
} from "./topology.ts";

/** The only subjects that a user of the servers may use. They are the lists of `permissions` in the servers' configuration. */
export interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A user of NATS. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
  /** The rights of the user on the bus. `setup` makes streams and consumers but does not use them. `admin` may do everything. */
  readonly rights: TopicRights | "setup" | "admin";
}

/** The namespace of a bus, and the scratch namespace for trying rights. */
export interface NatsPlace {
  readonly namespace: string;
  readonly scratch: string;
}

/**
 * Returns the minimum of rights that a user needs for its work. The user may not create or change streams and consumers. A user who may declare a
 * consumer chooses where the server delivers, and no permission limits that. The user cannot receive messages of other users, because its reply
 * subjects have their own prefix.
 */
export function natsRights(namespace: string, user: string, { publishes, consumes, announces, listens }: TopicRights): NatsRights {
  const queues = consumes.map((topic) => placeOf(namespace, topic));
  const dead = consumes.map((topic) => placeOf(namespace, topics.dead(topic)));
  const published = [...publishes.map((topic) => placeOf(namespace, topic)), ...dead];
  return {
    publish: distinct([
      "$JS.API.INFO",
      ...published.flatMap((place) => [place.subject, infoOf(place)]),
      ...[...queues, ...dead].flatMap((place) => [`$JS.API.STREAM.INFO.${place.stream}`, infoOf(place)]),
      ...queues.flatMap(({ stream, durable }) => [`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, `$JS.ACK.${stream}.${durable}.>`]),
      ...announces.map((topic) => broadcastSubject(namespace, topic)),
    ]),
    subscribe: distinct([`${inboxPrefix(namespace, user)}.>`, ...listens.map((topic) => broadcastSubject(namespace, topic))]),
  };
}

/**
 * Returns the rights of the setup login. This login makes the streams of both namespaces with their consumers, and removes the streams of the scratch
 * namespace.
 */
export function natsSetUpRights({ namespace, scratch }: NatsPlace, user: string): NatsRights {
  const streams = [namespace, scratch].flatMap((space) => natsStreams(space, ANY_SIZE).map(({ name }) => name));
  const scratchStreams = natsStreams(scratch, ANY_SIZE).map(({ name }) => name);
  return {
    publish: [
      "$JS.API.INFO",
      ...streams.flatMap((name) => [
        ...["CREATE", "INFO", "UPDATE"].map((verb) => `$JS.API.STREAM.${verb}.${name}`),
        ...["CREATE", "INFO"].map((verb) => `$JS.API.CONSUMER.${verb}.${name}.>`),
      ]),
      ...scratchStreams.map((name) => `$JS.API.STREAM.DELETE.${name}`),
    ],
    subscribe: [namespace, scratch].map((space) => `${inboxPrefix(space, user)}.>`),
  };
}

/**
 * Returns the users for a server's configuration file, which includes the result with `include nats.conf`. The passwords are in plain text, because
 * bcrypt is the only hash that NATS knows. So only the server may read the file.
 */
export function natsAuthorization(place: NatsPlace, logins: readonly NatsLogin[]): string {
  const users = logins.map(({ user, password, rights }) => {
    const name = `user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}`;
    if (rights === "admin") return `    { ${name} }`;
    const { publish, subscribe } = permissionsOf(place, user, rights);
    return [
      `    { ${name}, permissions: {`,
      `        publish: { allow: ${list(publish)} }`,
      `        subscribe: { allow: ${list(subscribe)} }`,
      "    } }",
    ].join("\n");
  });
  return ["authorization {", "  users: [", ...users, "  ]", "}", ""].join("\n");
}

/**
 * Returns the streams of a namespace in the form that `nats stream add --config` reads. If its login has all rights, the bus itself makes these
 * streams.
 */
export function natsStreams(
  namespace: string,
  settings: { readonly replicas: number; readonly maxBytes: number },
): readonly StreamDeclaration[] {
  return QUEUE_KINDS.map((kind) => streamDeclaration(namespace, kind, settings));
}

/** The names of streams do not depend on this size. */
const ANY_SIZE = { replicas: 1, maxBytes: 1 };

function permissionsOf(place: NatsPlace, user: string, rights: TopicRights | "setup"): NatsRights {
  if (rights === "setup") return natsSetUpRights(place, user);
  const [own, scratch] = [natsRights(place.namespace, user, rights), natsRights(place.scratch, user, rights)];
  return { publish: distinct([...own.publish, ...scratch.publish]), subscribe: [...own.subscribe, ...scratch.subscribe] };
}

function infoOf({ stream, durable }: QueuePlace): string {
  return `$JS.API.CONSUMER.INFO.${stream}.${durable}`;
}

function list(subjects: readonly string[]): string {
  return `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}`).join("\n")}\n        ]`;
}

function distinct(subjects: readonly string[]): readonly string[] {
  return [...new Set(subjects)];
}
