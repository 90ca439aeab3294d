import type { Goal } from "../goal.ts";
import type { BrokerKind } from "../tool-call/driver.ts";
import type { DriverName } from "../tool-call/drivers.ts";
import { contest } from "./contest.ts";
import { type Aims, type Ground, newNamespace, withLoop } from "./ground.ts";
import type { Tools } from "./loop.ts";

interface Chain {
  readonly kind: BrokerKind;
  readonly name: string;
  readonly raw: DriverName;
  /** docs/performance.md gives the source of these targets. */
  readonly aims: Aims;
}

export const CHAINS: readonly Chain[] = [
  { kind: "nats", name: "JetStream", raw: "raw JetStream", aims: { speed: 0.5, cpu: 2 } },
  { kind: "rabbitmq", name: "RabbitMQ", raw: "raw amqplib", aims: { speed: 0.45, cpu: 2.2 } },
];

/** Measures runs whose tools are in a separate process behind a broker. The hand-written loop reaches the tools with the broker's own client. */
export async function overBroker({ kind, name, raw, aims }: Chain, url: string, ground: Ground): Promise<readonly Goal[]> {
  const there = (): Tools => ({ kind: "there", broker: kind, raw, place: { url, namespace: newNamespace() } });
  return withLoop("toolbus", there(), ground, (ours) => contest(`tools behind ${name}`, there, aims, ours, ground));
}
