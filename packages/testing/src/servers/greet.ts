import { greetRabbitmq, sayGoodbye } from "./amqp-wire.ts";
import { greetNats } from "./nats-wire.ts";
import { greetRedis } from "./redis-wire.ts";
import type { ServerKind } from "./server-kinds.ts";
import { parseServerUrl, type ServerAddress } from "./server-url.ts";
import { type Wire, withWire } from "./wire.ts";

/**
 * Either the server answered as a server of the expected kind and accepted the login, or `why` says why not. `why` continues a sentence and contains
 * no password.
 */
export type Greeting = { readonly ok: true; readonly version: string } | { readonly ok: false; readonly why: string };

/** Greets a server in its own protocol, without any client library. Never rejects. */
export async function greet(kind: ServerKind, url: string, signal: AbortSignal): Promise<Greeting> {
  try {
    const address = parseServerUrl(kind, url);
    if ("problem" in address) return { ok: false, why: address.problem };
    return { ok: true, version: await withWire(address, signal, (wire) => versionOf(kind, wire, address)) };
  } catch (error) {
    return { ok: false, why: whyOf(error) };
  }
}

async function versionOf(kind: ServerKind, wire: Wire, address: ServerAddress): Promise<string> {
  switch (kind) {
    case "redis":
      return greetRedis(wire, address);
    case "nats":
      return greetNats(wire, address);
    case "rabbitmq": {
      const version = await greetRabbitmq(wire, address);
      await sayGoodbye(wire);
      return version;
    }
  }
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If all addresses of one name fail, the message is empty.
  if (error instanceof AggregateError) return whyOf(error.errors[0]);
  const code = "code" in error ? error.code : null;
  if (code === "ECONNREFUSED") return "nothing listens there";
  return code === "ECONNRESET" ? "it closed the connection" : error.message;
}
