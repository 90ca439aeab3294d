import { randomInt } from "node:crypto";
import { busKind } from "./bus-kind.ts";
import { BusUnavailable } from "./message-bus.ts";
import { silentPipelineLog } from "./pipeline-log.ts";

/**
 * Opens one connection to the broker that a URL names, as a service does, and closes it. Declares nothing. Returns a name of the broker without the login,
 * or null if the bus is in the process. Rejects with `BusUnavailable` and one sentence if the URL names no bus, if it refuses the login, or if no broker
 * answers. The last attempt begins within `connectForMs` milliseconds, and each one gives up after 5 s.
 */
export async function reachBroker(url: string, { connectForMs }: { readonly connectForMs: number }): Promise<string | null> {
  const named = busKind(url);
  const options = { connectForMs, log: silentPipelineLog, random: () => randomInt(2 ** 47) / 2 ** 47 };
  switch (named.kind) {
    case "memory":
      return null;
    case "amqp": {
      const { parseAmqpUrl } = await import("./amqp/amqp-url.ts");
      const { openLink } = await import("./amqp/link.ts");
      const settings = settingsOf(parseAmqpUrl(url));
      const link = await openLink({ ...options, settings, purpose: "publishing" });
      await link.close();
      return `RabbitMQ at ${settings.host}:${settings.port}`;
    }
    case "nats": {
      const { parseNatsUrl } = await import("./nats/nats-url.ts");
      const { openLink } = await import("./nats/link.ts");
      const { DEFAULT_TIMINGS } = await import("./nats/timings.ts");
      const settings = settingsOf(parseNatsUrl(url));
      const link = await openLink({ ...options, settings, timings: { ...DEFAULT_TIMINGS, confirmMs: connectForMs } });
      await link.close();
      return `NATS at ${settings.servers.join(", ")}`;
    }
    case "none":
      throw new BusUnavailable(named.reason);
  }
}

function settingsOf<S>(parsed: { readonly ok: true; readonly settings: S } | { readonly ok: false; readonly reason: string }): S {
  if (!parsed.ok) throw new BusUnavailable(parsed.reason);
  return parsed.settings;
}
