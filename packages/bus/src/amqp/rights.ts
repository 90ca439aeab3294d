import { hash } from "node:crypto";
import { type TopicRights, topics } from "@toolbus/contracts";
import { type PolicyDefinition, policyDefinitions } from "./policies.ts";
import { RUNGS_MS } from "./retry-ladder.ts";
import {
  EXCHANGE_KINDS,
  exchangeName,
  type ExchangeKind,
  type QueueDeclaration,
  queueDeclaration,
  queueRoute,
  rungDeclaration,
} from "./topology.ts";

/** A user of RabbitMQ. */
export interface AmqpLogin {
  readonly user: string;
  readonly password: string;
  /** Four random bytes, which are stored with the hash of the password. */
  readonly salt: Uint8Array;
  /** The rights of the user on the bus. `setup` may declare everything and publish nothing. `admin` may do everything. */
  readonly rights: TopicRights | "setup" | "admin";
}

/** The location of a bus in a virtual host: its own namespace, and the scratch namespace for trying rights. */
export interface AmqpPlace {
  readonly vhost: string;
  readonly namespace: string;
  readonly scratch: string;
}

/** The parts of RabbitMQ's definitions file that a bus needs. `rabbitmqctl import_definitions` reads the same file. */
export interface AmqpDefinitions {
  readonly vhosts: readonly { readonly name: string }[];
  readonly users: readonly AmqpUser[];
  readonly permissions: readonly AmqpPermission[];
  readonly topic_permissions: readonly AmqpTopicPermission[];
  readonly policies: readonly PolicyDefinition[];
  readonly exchanges: readonly Readonly<Record<string, unknown>>[];
  readonly queues: readonly Readonly<Record<string, unknown>>[];
  readonly bindings: readonly Readonly<Record<string, unknown>>[];
}

export interface AmqpUser {
  readonly name: string;
  readonly password_hash: string;
  readonly hashing_algorithm: "rabbit_password_hashing_sha256";
  readonly tags: "" | "administrator";
}

export interface AmqpPermission {
  readonly user: string;
  readonly vhost: string;
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

/**
 * A user's rule for a topic exchange. A user without a rule may publish under any key, so every user except `admin` has a rule for each
 * of our exchanges.
 */
export interface AmqpTopicPermission {
  readonly user: string;
  readonly vhost: string;
  readonly exchange: string;
  readonly write: string;
  readonly read: string;
}

/**
 * Returns users with their permissions, and all objects that stay on the broker for these topics. A service may declare and delete only the queue of
 * its own listeners. With more rights it could make a queue that dead-letters messages under any routing key, which no topic permission checks. So
 * the definitions contain the queues and the rungs of their ladders, and services find them on the broker.
 */
export function amqpDefinitions(place: AmqpPlace, logins: readonly AmqpLogin[], queues: readonly string[]): AmqpDefinitions {
  const { vhost, namespace } = place;
  const declared = amqpQueues(namespace, queues);
  return {
    vhosts: [{ name: vhost }],
    users: logins.map(({ user, password, salt, rights }) => ({
      name: user,
      password_hash: passwordHash(password, salt),
      hashing_algorithm: "rabbit_password_hashing_sha256",
      tags: rights === "admin" ? "administrator" : "",
    })),
    permissions: logins.map((login) => ({ user: login.user, vhost, ...permissionsOf(place, login.rights) })),
    topic_permissions: logins.flatMap(({ user, rights }) =>
      rights === "admin"
        ? []
        : [namespace, place.scratch].flatMap((space) =>
            EXCHANGE_KINDS.map((kind) => ({ user, vhost, exchange: exchangeName(space, kind), ...topicPermissionOf(kind, rights) })),
          ),
    ),
    policies: policyDefinitions(namespace, vhost),
    exchanges: EXCHANGE_KINDS.map((kind) => ({
      name: exchangeName(namespace, kind),
      vhost,
      type: "topic",
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    })),
    queues: declared.map(({ name, arguments: args }) => ({ name, vhost, durable: true, auto_delete: false, arguments: args })),
    bindings: declared.flatMap(({ name, bindings }) =>
      bindings.map(({ exchange, routingKey }) => ({
        source: exchange,
        vhost,
        destination: name,
        destination_type: "queue",
        routing_key: routingKey,
        arguments: {},
      })),
    ),
  };
}

/**
 * Returns the queues of these topics and of their dead letters, each with its ladder. It also returns the queues for dead letters that
 * fail their reader.
 */
export function amqpQueues(namespace: string, queues: readonly string[], rungs: readonly number[] = RUNGS_MS): readonly QueueDeclaration[] {
  return queues.flatMap((topic) => {
    const dead = topics.dead(topic);
    return [
      ...[topic, dead].flatMap((each) => [
        queueDeclaration(namespace, each),
        ...rungs.map((rung) => rungDeclaration(namespace, each, rung)),
      ]),
      queueDeclaration(namespace, topics.dead(dead)),
    ];
  });
}

/** Hashes a password in the same way as `rabbitmqctl hash_password`. */
function passwordHash(password: string, salt: Uint8Array): string {
  const digest = hash("sha256", Buffer.concat([salt, Buffer.from(password, "utf8")]), "buffer");
  return Buffer.concat([salt, digest]).toString("base64");
}

type Patterns = Pick<AmqpPermission, "configure" | "write" | "read">;

function permissionsOf({ namespace, scratch }: AmqpPlace, rights: AmqpLogin["rights"]): Patterns {
  if (rights === "admin") return { configure: ".*", write: ".*", read: ".*" };
  const within = (names: readonly string[]): string =>
    names.length === 0 ? NOTHING : `^${oneOf([namespace, scratch].map(quoted))}\\.${oneOf(names)}$`;
  if (rights === "setup") return { configure: within([".*"]), write: within([".*"]), read: within([".*"]) };
  const { publishes, consumes, announces, listens } = rights;
  const listening = listens.length > 0 ? ["listen\\.[\\w-]+"] : [];
  return {
    configure: within(listening),
    write: within([
      ...(publishes.length > 0 ? ["work"] : []),
      ...(consumes.length > 0 ? ["dead", "retry"] : []),
      ...(announces.length > 0 ? ["broadcast"] : []),
      ...listening,
    ]),
    read: within([...(listens.length > 0 ? ["broadcast"] : []), ...listening, ...consumes.map((topic) => `queue\\.${quoted(topic)}`)]),
  };
}

function topicPermissionOf(kind: ExchangeKind, rights: TopicRights | "setup"): Pick<AmqpTopicPermission, "write" | "read"> {
  // To bind a queue, a user needs the right to read the key of the binding.
  if (rights === "setup") return { write: NOTHING, read: ".*" };
  const { publishes, consumes, announces, listens } = rights;
  switch (kind) {
    case "work":
      return { write: keyPattern(publishes.map(quoted)), read: NOTHING };
    case "dead":
      return { write: keyPattern(consumes.map((topic) => quoted(queueRoute("", topics.dead(topic)).routingKey))), read: NOTHING };
    case "retry":
      return { write: keyPattern(consumes.map((topic) => `[0-9]+\\.${quoted(topic)}`)), read: NOTHING };
    case "broadcast":
      return { write: keyPattern(announces.map(quoted)), read: keyPattern(listens.map(quoted)) };
  }
}

const NOTHING = "^$";

function keyPattern(patterns: readonly string[]): string {
  return patterns.length === 0 ? NOTHING : `^${oneOf(patterns)}$`;
}

function oneOf(patterns: readonly string[]): string {
  return patterns.length === 1 ? (patterns[0] ?? "") : `(${patterns.join("|")})`;
}

/** Escapes a topic or namespace for a pattern. The dot is the only character in them that has a meaning in a pattern. */
function quoted(text: string): string {
  return text.replaceAll(".", "\\.");
}
