import { amqpTopology } from "@toolbus/bus";
import { removeNamespace } from "@toolbus/testing/servers";
import type { BrokerKind, Place } from "./driver.ts";

/** Removes the queues of these topics, and all other data of a bus, from the bus's broker. The bus must be closed already. */
export async function removeBus(kind: BrokerKind, { url, namespace }: Place, consumed: readonly string[]): Promise<void> {
  const { exchanges, queues } = amqpTopology(namespace, consumed);
  await removeNamespace({ kind, url }, namespace, kind === "nats" ? {} : { exchanges, queues: queues.map(({ name }) => name) });
}
