import { parseAmqpUrl } from "./amqp/amqp-url.ts";
import { policyDifferences } from "./amqp/management.ts";
import { amqpPolicies, type PolicyDefinition, policyDefinitions, setPolicyCommands } from "./amqp/policies.ts";
import { busKind } from "./bus-kind.ts";
import { parseNatsUrl } from "./nats/nats-url.ts";
import { natsStreams } from "./nats/rights.ts";
import type { StreamDeclaration } from "./nats/topology.ts";

/** What a bus needs on its broker: what the broker's operator sets there, or what the bus makes by itself. Contains no credentials. */
export type BrokerSetup =
  | { readonly broker: "memory" }
  | {
      readonly broker: "rabbitmq";
      readonly namespace: string;
      /** As people write it: `/`, not `%2F`. */
      readonly vhost: string;
      /** For an operator to set: the bus cannot. */
      readonly policies: readonly PolicyDefinition[];
      /** The same as lines for a shell, in the same order. */
      readonly commands: readonly string[];
      /**
       * The differing settings, one sentence each, as the management plugin reports them; if it does not answer within seconds, or before the signal
       * aborts, that is one sentence too. Null if the URL does not name the plugin with `management=`.
       */
      readonly check: ((signal: AbortSignal) => Promise<readonly string[]>) | null;
    }
  | {
      readonly broker: "nats";
      readonly namespace: string;
      /** Made by the bus, if its login may. */
      readonly streams: readonly StreamDeclaration[];
    };

/** A refusal is one sentence without credentials that begins with BUS_URL. */
export type ReadBrokerSetup = { readonly ok: true; readonly setup: BrokerSetup } | { readonly ok: false; readonly reason: string };

/** Reads it from the URL of a bus. Asks no broker. */
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
