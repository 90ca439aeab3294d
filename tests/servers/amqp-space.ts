import { createHash, randomUUID } from "node:crypto";
import { amqpTopology, connectBus, type ConnectBusOptions, type MessageBus } from "@toolbus/bus";
import { removeNamespace, type TestServer } from "@toolbus/testing/servers";
import { afterAll } from "vitest";

/** Unique names on a server. The suite removes everything under these names when it ends. */
export interface AmqpSpace {
  /** Connects to a namespace of this space. Any text may name the namespace. */
  connect(options: { readonly namespace?: string; readonly url?: string } & Partial<ConnectBusOptions>): Promise<MessageBus>;
  namespaceOf(text: string): string;
}

const FIRST_TRY_MS = 10_000;

export function amqpSpace(server: () => Pick<TestServer, "kind" | "url">): AmqpSpace {
  const space = `t-${randomUUID().slice(0, 8)}`;
  /** The topics that were consumed in each namespace. The space records them, because AMQP cannot list them. */
  const consumed = new Map<string, Set<string>>();
  const namespaceOf = (text: string): string => `${space}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  afterAll(async () => {
    for (const [namespace, topics] of consumed) {
      const { exchanges, queues } = amqpTopology(namespace, [...topics]);
      await removeNamespace(server(), namespace, { exchanges, queues: queues.map(({ name }) => name) });
    }
  });
  return {
    namespaceOf,
    async connect({ namespace: text = "", url = server().url, ...options }) {
      const namespace = namespaceOf(text);
      const topics = consumed.get(namespace) ?? new Set();
      consumed.set(namespace, topics);
      const bus = await connectBus(amqpUrl(url, namespace), { clock: Date.now, connectForMs: FIRST_TRY_MS, ...options });
      return {
        ...bus,
        consume(topic, handler, consuming) {
          topics.add(topic);
          return bus.consume(topic, handler, consuming);
        },
      };
    },
  };
}

/** Returns the URL of a bus in a namespace, with more query parameters. */
export function amqpUrl(server: string, namespace: string, options: Readonly<Record<string, string>> = {}): string {
  const url = new URL(server);
  for (const [name, value] of Object.entries({ namespace, ...options })) url.searchParams.set(name, value);
  return url.href;
}
