import { exchangeName } from "./topology.ts";

/** A policy of RabbitMQ: applies to every queue whose name matches. */
export interface AmqpPolicy {
  readonly name: string;
  /** A regular expression. */
  readonly pattern: string;
  readonly definition: Readonly<Record<string, string | number>>;
}

/**
 * The policies that an operator should set for a bus. They are a second wall: without them everything works, and nothing limits the length of a queue. With
 * them a full queue refuses new messages (the publisher gets `BusUnavailable`), and a message whose consumers always die before they can judge it becomes a
 * dead letter.
 */
export function amqpPolicies(namespace: string): readonly AmqpPolicy[] {
  return [
    {
      name: `${namespace}-queues`,
      pattern: `^${namespace}\\.queue\\.(?!dead\\.)`,
      definition: {
        "delivery-limit": BROKER_DELIVERY_LIMIT,
        "dead-letter-exchange": exchangeName(namespace, "dead"),
        // Takes effect only together with reject-publish; otherwise RabbitMQ silently falls back to at-most-once.
        "dead-letter-strategy": "at-least-once",
        overflow: "reject-publish",
        "max-length": LONGEST_QUEUE,
      },
    },
    {
      name: `${namespace}-dead`,
      pattern: `^${namespace}\\.queue\\.dead\\.`,
      definition: { "delivery-limit": NO_DELIVERY_LIMIT, overflow: "reject-publish", "max-length": LONGEST_QUEUE },
    },
    {
      name: `${namespace}-listeners`,
      pattern: `^${namespace}\\.listen\\.`,
      definition: { "max-length": MOST_UNHEARD },
    },
  ];
}

/** A policy as RabbitMQ's own files of definitions and its HTTP API hold it. */
export interface PolicyDefinition extends AmqpPolicy {
  readonly vhost: string;
  readonly "apply-to": "queues";
  readonly priority: number;
}

/** The policies for the `policies` of a definitions file, or one by one for `PUT /api/policies/<vhost>/<name>`. */
export function policyDefinitions(namespace: string, vhost: string): readonly PolicyDefinition[] {
  return amqpPolicies(namespace).map((policy) => ({ vhost, ...policy, "apply-to": "queues", priority: PRIORITY }));
}

/** One shell line each, in the order of `amqpPolicies`. */
export function setPolicyCommands(namespace: string, vhost = "/"): readonly string[] {
  return amqpPolicies(namespace).map(
    ({ name, pattern, definition }) =>
      `rabbitmqctl set_policy --vhost ${quoted(vhost)} --apply-to queues --priority ${PRIORITY} ${quoted(name)} ${quoted(pattern)} ${quoted(JSON.stringify(definition))}`,
  );
}

const PRIORITY = 10;
// Above the pipeline's own limit of 10, whose dead letters say why and hold no secrets.
const BROKER_DELIVERY_LIMIT = 20;
// A dead letter that fails its reader has nowhere else to go. RabbitMQ 4 drops after 20 unless told otherwise, and 3.10 knows no -1.
const NO_DELIVERY_LIMIT = 1_000_000;
const LONGEST_QUEUE = 100_000;
// The oldest are dropped first: an announcement is a hint.
const MOST_UNHEARD = 10_000;

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
