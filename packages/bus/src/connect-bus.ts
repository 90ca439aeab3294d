import { BusUnavailable, type MessageBus } from "./message-bus.ts";

export interface ConnectBusOptions {
  /** Wall clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Connects to the bus that a URL names; its scheme chooses the adapter, which is loaded only then. Rejects with `BusUnavailable` and one sentence
 * when there is no such bus. The sentence names the scheme only: the rest of a URL may hold a password.
 */
export async function connectBus(url: string, { clock }: ConnectBusOptions): Promise<MessageBus> {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? "";
  switch (scheme) {
    case "memory:": {
      if (url.length > scheme.length)
        throw new BusUnavailable(`BUS_URL is exactly "memory:" for the bus in this process, with nothing behind it.`);
      const { memoryBus } = await import("./memory/memory-bus.ts");
      return memoryBus({ clock });
    }
    case "amqp:":
    case "amqps:":
    case "nats:":
      throw new BusUnavailable(
        `A bus at ${scheme}// is not supported yet, it comes with separate processes; set BUS_URL to memory: to run all in one.`,
      );
    default:
      throw new BusUnavailable(
        `BUS_URL ${scheme ? `starts with ${scheme} which is no bus` : "names no scheme"}; accepted is memory: (later also amqp:// and nats://).`,
      );
  }
}
