import { amqpTopology } from "@toolbus/bus";
import { removeNamespace } from "@toolbus/testing/servers";
import type { BrokerKind, Place } from "./driver.ts";

/** Removes the data of a bus with queues of these topics from its broker. The user of the bus has already closed it. */
export async function removeBus(kind: BrokerKind, { url, namespace }: Place, consumed: readonly string[]): Promise<void> {
  const { exchanges, queues } = amqpTopology(namespace, consumed);
  await removeNamespace({ kind, url }, namespace, kind === "nats" ? {} : { exchanges, queues: queues.map(({ name }) => name) });
}
