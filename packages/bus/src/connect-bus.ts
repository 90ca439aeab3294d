import { randomInt } from "node:crypto";
import { busKind } from "./bus-kind.ts";
import { BusUnavailable, type MessageBus } from "./message-bus.ts";
import type { NatsBusOptions } from "./nats/nats-bus.ts";
import { type PipelineLog, silentPipelineLog } from "./pipeline-log.ts";

/** Options of every adapter; those of brokers use all of them. Times are in milliseconds. */
export interface ConnectBusOptions {
  /** Wall clock. */
  readonly clock: () => number;
  /** Is notified when a broker is lost, found again or obstructed; by default nobody is. */
  readonly log?: PipelineLog;
  /** From 0 up to 1; spreads the tries of many processes to reach a broker. The system's own randomness by default. */
  readonly random?: () => number;
  /** How long a stop waits for handlers under way; 25 s by default. */
  readonly drainMs?: number;
  /** How long to retry a broker that does not answer at first; 30 s by default. */
  readonly connectForMs?: number;
  /** How long a message waits for its confirmation; 10 s by default. */
  readonly confirmMs?: number;
  /** Options that only a bus on NATS has. */
  readonly nats?: Pick<NatsBusOptions, "maxInFlight" | "timings">;
}

/**
 * Connects to the bus that a URL names; its scheme chooses the adapter, which is loaded only then. Rejects with `BusUnavailable` and one sentence if there
 * is no such bus. The sentence never quotes the URL's credentials.
 */
export async function connectBus(url: string, options: ConnectBusOptions): Promise<MessageBus> {
  const { clock, log = silentPipelineLog, random = systemRandom, drainMs = 25_000, connectForMs = 30_000, confirmMs = 10_000 } = options;
  const named = busKind(url);
  switch (named.kind) {
    case "memory": {
      const { memoryBus } = await import("./memory/memory-bus.ts");
      return memoryBus({ clock, drainMs });
    }
    case "amqp": {
      const { amqpBus } = await import("./amqp/amqp-bus.ts");
      return amqpBus(url, { clock, log, random, drainMs, connectForMs, confirmMs });
    }
    case "nats": {
      const { natsBus } = await import("./nats/nats-bus.ts");
      return natsBus(url, { clock, log, random, drainMs, connectForMs, confirmMs, ...options.nats });
    }
    case "none":
      throw new BusUnavailable(named.reason);
  }
}

function systemRandom(): number {
  return randomInt(2 ** 47) / 2 ** 47;
}
