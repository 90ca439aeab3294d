import { randomUUID } from "node:crypto";
import { amqpTopology } from "@toolbus/bus";
import { removeNamespace, type TestServer } from "@toolbus/testing/servers";
import { amqpUrl } from "../../servers/amqp-space.ts";
import { natsUrl } from "../../servers/nats-space.ts";
import { redisUrl } from "../../servers/redis-space.ts";

/** Where the messages and the state of a system under test are. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** Removes the data of a system that consumed these topics. */
  remove(consumed: readonly string[]): Promise<void>;
}

/** In this process, like the embedded form. */
export const inMemory: Place = {
  env: {},
  async remove() {
    // The system ends with the process, and the test removes the files.
  },
};

/** On servers that other tests use too, under a separate name. */
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
