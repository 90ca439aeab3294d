import { exchangeName } from "./topology.ts";

/** A policy of RabbitMQ, which applies to every queue whose name matches its pattern. */
export interface AmqpPolicy {
  readonly name: string;
  /** A regular expression for names of queues. */
  readonly pattern: string;
  readonly definition: Readonly<Record<string, string | number>>;
}

/**
 * Returns the policies that an operator should set for a bus. Everything works without them, but then nothing limits the length of a queue. With them
 * a full queue refuses new messages, and the publisher receives `BusUnavailable`. With them, RabbitMQ also makes a dead letter of a message whose
 * consumers always crash before they can judge it.
 */
export function amqpPolicies(namespace: string): readonly AmqpPolicy[] {
  return [
    {
      name: `${namespace}-queues`,
      pattern: `^${namespace}\\.queue\\.(?!dead\\.)`,
      definition: {
        "delivery-limit": BROKER_DELIVERY_LIMIT,
        "dead-letter-exchange": exchangeName(namespace, "dead"),
        // This strategy takes effect only together with reject-publish. Otherwise RabbitMQ silently falls back to at-most-once.
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

/** A policy in the form of RabbitMQ's definitions files and HTTP API. */
export interface PolicyDefinition extends AmqpPolicy {
  readonly vhost: string;
  readonly "apply-to": "queues";
  readonly priority: number;
}

/**
 * Returns the policies for the `policies` of a definitions file. An operator can also send them one by one with `PUT /api/policies/<vhost>/<name>`.
 */
export function policyDefinitions(namespace: string, vhost: string): readonly PolicyDefinition[] {
  return amqpPolicies(namespace).map((policy) => ({ vhost, ...policy, "apply-to": "queues", priority: PRIORITY }));
}

/** Returns a shell line for each policy, in the order of `amqpPolicies`. */
export function setPolicyCommands(namespace: string, vhost = "/"): readonly string[] {
  return amqpPolicies(namespace).map(
    ({ name, pattern, definition }) =>
      `rabbitmqctl set_policy --vhost ${quoted(vhost)} --apply-to queues --priority ${PRIORITY} ${quoted(name)} ${quoted(pattern)} ${quoted(JSON.stringify(definition))}`,
  );
}

const PRIORITY = 10;
// The limit is above the pipeline's own limit of 10, so that the pipeline usually makes the dead letter. The pipeline's dead letters give a reason
// and contain no secrets.
const BROKER_DELIVERY_LIMIT = 20;
// This number stands for no limit. RabbitMQ has no other queue for a dead letter that fails its reader, so a limit would drop it. RabbitMQ 4 has a
// default limit of 20, and 3.10 does not accept -1.
const NO_DELIVERY_LIMIT = 1_000_000;
const LONGEST_QUEUE = 100_000;
// Above this number RabbitMQ drops the oldest announcements, because an announcement is only a hint.
const MOST_UNHEARD = 10_000;

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
