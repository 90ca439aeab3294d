import { amqpTopology } from "@toolbus/bus";
import { removeNamespace } from "@toolbus/testing/servers";
import type { BrokerKind, Place } from "./driver.ts";

/** Removes what a bus with queues of these topics has on its broker; whoever used it has closed it. */
export async function removeBus(kind: BrokerKind, { url, namespace }: Place, consumed: readonly string[]): Promise<void> {
  const { exchanges, queues } = amqpTopology(namespace, consumed);
  await removeNamespace({ kind, url }, namespace, kind === "nats" ? {} : { exchanges, queues: queues.map(({ name }) => name) });
}
