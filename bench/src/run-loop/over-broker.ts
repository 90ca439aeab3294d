import type { Goal } from "../goal.ts";
import type { BrokerKind } from "../tool-call/driver.ts";
import type { DriverName } from "../tool-call/drivers.ts";
import { type Ground, newNamespace, speedRow, withLoop } from "./ground.ts";
import type { Tools } from "./loop.ts";

// docs/performance.md gives the source of this target.
const SPEED = { is: "at least", target: 0.85 } as const;

interface Chain {
  readonly kind: BrokerKind;
  readonly name: string;
  readonly raw: DriverName;
}

export const CHAINS: readonly Chain[] = [
  { kind: "nats", name: "JetStream", raw: "raw JetStream" },
  { kind: "rabbitmq", name: "RabbitMQ", raw: "raw amqplib" },
];

/** Measures runs whose tools are in a separate process behind a broker. The hand-written loop reaches the tools with the broker's own client. */
export async function overBroker({ kind, name, raw }: Chain, url: string, ground: Ground): Promise<Goal> {
  const there = (): Tools => ({ kind: "there", broker: kind, raw, place: { url, namespace: newNamespace() } });
  return withLoop("toolbus", there(), ground, (ours) =>
    withLoop("by hand", there(), ground, (theirs) => speedRow(`tools behind ${name}`, SPEED, ours, theirs, ground)),
  );
}
