import { parseAmqpUrl } from "./amqp/amqp-url.ts";
import { policyDifferences } from "./amqp/management.ts";
import { amqpPolicies, type PolicyDefinition, policyDefinitions, setPolicyCommands } from "./amqp/policies.ts";
import { busKind } from "./bus-kind.ts";
import { parseNatsUrl } from "./nats/nats-url.ts";
import { natsStreams } from "./nats/rights.ts";
import type { StreamDeclaration } from "./nats/topology.ts";

/**
 * The settings that a bus needs on its broker. On RabbitMQ an operator makes these settings, and on NATS the bus makes them itself. The settings
 * contain no credentials.
 */
export type BrokerSetup =
  | { readonly broker: "memory" }
  | {
      readonly broker: "rabbitmq";
      readonly namespace: string;
      /** The virtual host in plain text: `/` rather than `%2F`. */
      readonly vhost: string;
      /** An operator must set these policies, because the bus cannot. */
      readonly policies: readonly PolicyDefinition[];
      /** The shell commands that set these policies, in the same order. */
      readonly commands: readonly string[];
      /**
       * Returns the differences that the management plugin reports, one sentence each. If the plugin does not answer within seconds, or before the
       * signal aborts, it returns one sentence that says so. The field is null if the URL does not name the plugin with `management=`.
       */
      readonly check: ((signal: AbortSignal) => Promise<readonly string[]>) | null;
    }
  | {
      readonly broker: "nats";
      readonly namespace: string;
      /** The bus makes these streams if its login has the right. */
      readonly streams: readonly StreamDeclaration[];
    };

/** The setup, or else the reason why the URL was refused. The reason is one sentence, which begins with BUS_URL and contains no credentials. */
export type ReadBrokerSetup = { readonly ok: true; readonly setup: BrokerSetup } | { readonly ok: false; readonly reason: string };

/** Reads the setup from the URL of a bus, without a connection to the broker. */
export function brokerSetup(url: string): ReadBrokerSetup {
  const named = busKind(url);
  switch (named.kind) {
    case "none":
      return { ok: false, reason: named.reason };
    case "memory":
      return { ok: true, setup: { broker: "memory" } };
    case "amqp":
      return rabbitmq(url);
    case "nats":
      return nats(url);
  }
}

function rabbitmq(url: string): ReadBrokerSetup {
  const parsed = parseAmqpUrl(url);
  if (!parsed.ok) return parsed;
  const { namespace, vhost, management } = parsed.settings;
  const check = management && ((signal: AbortSignal) => policyDifferences(management, vhost, amqpPolicies(namespace), signal));
  const policies = policyDefinitions(namespace, vhost);
  return { ok: true, setup: { broker: "rabbitmq", namespace, vhost, policies, commands: setPolicyCommands(namespace, vhost), check } };
}

function nats(url: string): ReadBrokerSetup {
  const parsed = parseNatsUrl(url);
  if (!parsed.ok) return parsed;
  const { namespace, replicas, maxBytes } = parsed.settings;
  return { ok: true, setup: { broker: "nats", namespace, streams: natsStreams(namespace, { replicas, maxBytes }) } };
}
