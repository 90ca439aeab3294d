import { randomInt } from "node:crypto";
import { busKind } from "./bus-kind.ts";
import { BusUnavailable, type MessageBus } from "./message-bus.ts";
import type { NatsBusOptions } from "./nats/nats-bus.ts";
import { type PipelineLog, silentPipelineLog } from "./pipeline-log.ts";

/** The options of every adapter. The adapters for brokers use all of them. Times are in milliseconds. */
export interface ConnectBusOptions {
  /** Returns the wall-clock time, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Receives lines about lost and restored connections and about other trouble with the broker. By default nothing is logged. */
  readonly log?: PipelineLog;
  /**
   * Returns a random number from 0 up to 1, which spreads the attempts of many processes to reach a broker. By default it uses
   * the system's randomness.
   */
  readonly random?: () => number;
  /** How long a stop waits for running handlers. The default is 25 s. */
  readonly drainMs?: number;
  /** How long to retry the first connection to a broker that does not answer. The default is 30 s. */
  readonly connectForMs?: number;
  /** How long a publish waits for the broker's confirm. The default is 10 s. */
  readonly confirmMs?: number;
  /** Options that only a bus on NATS has. */
  readonly nats?: Pick<NatsBusOptions, "maxInFlight" | "timings">;
}

/**
 * Connects to the bus that a URL names. The scheme chooses the adapter, and only this adapter is loaded. Rejects with `BusUnavailable` and one
 * sentence if the URL names no bus or the broker cannot be reached. The sentence never quotes the URL's credentials.
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
