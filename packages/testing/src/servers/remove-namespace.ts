import { deleteTopology, greetRabbitmq, sayGoodbye } from "./amqp-wire.ts";
import { fieldsOf, greetNats, natsRequests } from "./nats-wire.ts";
import { redisCommands } from "./redis-wire.ts";
import { serverKinds } from "./server-kinds.ts";
import { parseServerUrl } from "./server-url.ts";
import type { TestServer } from "./test-server.ts";
import { type Wire, withWire } from "./wire.ts";

/** The queues and exchanges that a test created on RabbitMQ. AMQP cannot list them, so the test must name them. */
export interface NamedTopology {
  readonly queues?: readonly string[];
  readonly exchanges?: readonly string[];
}

const DEADLINE_MS = 30_000;
const KEYS_AT_ONCE = "500";

/**
 * Deletes everything that a test created on a shared server. On Redis it deletes the keys that begin with `<namespace>:`. On NATS it deletes the
 * streams whose name is the namespace in upper case, alone or followed by `_` and more. On RabbitMQ it deletes the named queues and exchanges, whose
 * names must all begin with `<namespace>.`
 */
export async function removeNamespace(
  { kind, url }: Pick<TestServer, "kind" | "url">,
  namespace: string,
  { queues = [], exchanges = [] }: NamedTopology = {},
): Promise<void> {
  if (namespace === "") throw new Error("An empty namespace would remove everything.");
  const strangers = [...queues, ...exchanges].filter((name) => !name.startsWith(`${namespace}.`));
  if (strangers.length > 0) throw new Error(`Not of the namespace ${namespace}: ${strangers.join(", ")}.`);
  const address = parseServerUrl(kind, url);
  if ("problem" in address) throw new Error(address.problem);
  await withWire(address, AbortSignal.timeout(DEADLINE_MS), async (wire) => {
    switch (kind) {
      case "redis":
        return removeKeys(await redisCommands(wire, address), namespace);
      case "nats":
        await greetNats(wire, address);
        return removeStreams(wire, namespace.toUpperCase());
      case "rabbitmq":
        await greetRabbitmq(wire, address);
        await deleteTopology(wire, queues, exchanges);
        return sayGoodbye(wire);
    }
  }).catch((error: unknown) => {
    throw new Error(`The namespace ${namespace} could not be removed from ${serverKinds[kind].name}.`, { cause: error });
  });
}

async function removeKeys(command: Awaited<ReturnType<typeof redisCommands>>, namespace: string): Promise<void> {
  const pattern = `${namespace.replaceAll(/[\\*?[\]]/g, "\\$&")}:*`;
  let cursor = "0";
  do {
    const reply = await command("SCAN", cursor, "MATCH", pattern, "COUNT", KEYS_AT_ONCE);
    const [next, keys] = Array.isArray(reply) ? reply : [];
    if (Array.isArray(keys) && keys.length > 0) await command("UNLINK", ...keys.map(String));
    cursor = String(next);
  } while (cursor !== "0");
}

async function removeStreams(wire: Wire, own: string): Promise<void> {
  const request = natsRequests(wire);
  const names: string[] = [];
  for (;;) {
    const page = fieldsOf(await request("$JS.API.STREAM.NAMES", JSON.stringify({ offset: names.length })));
    const streams = page.get("streams");
    if (!Array.isArray(streams) || streams.length === 0) break;
    names.push(...streams.map(String));
  }
  for (const name of names.filter((candidate) => candidate === own || candidate.startsWith(`${own}_`))) {
    const error = fieldsOf(await request(`$JS.API.STREAM.DELETE.${name}`, "")).get("error");
    // The test may have deleted the stream meanwhile.
    if (error !== undefined && !JSON.stringify(error).includes("stream not found")) throw new Error(JSON.stringify(error));
  }
}
