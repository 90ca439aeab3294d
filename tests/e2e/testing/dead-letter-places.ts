import { randomUUID } from "node:crypto";
import { amqpTopology } from "@toolbus/bus";
import { topics } from "@toolbus/contracts";
import { removeNamespace, type TestServer } from "@toolbus/testing/servers";
import { amqpUrl } from "../../servers/amqp-space.ts";
import { natsUrl } from "../../servers/nats-space.ts";
import { redisUrl } from "../../servers/redis-space.ts";

/**
 * The topics that the services of a system with the toolset release consume. A test names them to remove their queues, because AMQP cannot list
 * queues.
 */
export const CONSUMED = [
  topics.invoke("release"),
  topics.operationsReplay,
  topics.approvalRequest,
  topics.approvalCancel,
  topics.approvalRollback,
  topics.runWake,
  topics.result("default"),
  topics.approvalHeld("default"),
  topics.approvalDecided("default"),
];

/** The bus and the store of a system under test. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** Removes the data of a system that consumed these topics. */
  remove(consumed: readonly string[]): Promise<void>;
}

/** A bus and a store in this process, as in the embedded form. */
export const inMemory: Place = {
  env: {},
  async remove() {
    // Nothing is to be removed: the bus and the store are in memory or in the test's own files.
  },
};

/** Returns a bus and a store on servers that other tests also use, under a unique name. */
export function onServers(broker: TestServer, redis: TestServer): Place {
  const namespace = `t-${randomUUID().slice(0, 8)}`;
  const busUrl = broker.kind === "nats" ? natsUrl(broker.url, namespace) : amqpUrl(broker.url, namespace);
  return {
    env: { BUS_URL: busUrl, STATE_URL: redisUrl(redis.url, namespace) },
    async remove(consumed) {
      const { exchanges, queues } = amqpTopology(namespace, consumed);
      const made = broker.kind === "rabbitmq" ? { exchanges, queues: queues.map(({ name }) => name) } : {};
      await removeNamespace(broker, namespace, made);
      await removeNamespace(redis, namespace);
    },
  };
}
