import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { BusUnavailable, connectBus, type ConnectBusOptions } from "@toolbus/bus";
import { collect, probe, within } from "@toolbus/bus/conformance";
import { type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { natsClient } from "./nats-client.ts";
import { natsUrl } from "./nats-space.ts";

const PATIENCE_MS = 20_000;

/** Returns the message with which a first connection is refused. */
async function refusalOf(url: string, options: Partial<ConnectBusOptions> = {}): Promise<string> {
  const refusal: unknown = await connectBus(url, { clock: Date.now, connectForMs: PATIENCE_MS, ...options }).then(
    (bus) => bus.close(),
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(BusUnavailable);
  const sentence = refusal instanceof Error ? refusal.message : "";
  expect(sentence).not.toContain("hunter2");
  return sentence;
}

/** Starts a server that sends this greeting and answers pings, but has no responder for any request. */
async function greeter(info: object) {
  const server = createServer((socket) => {
    socket.write(
      `INFO ${JSON.stringify({ server_id: "s", version: "2.10.0", proto: 1, headers: true, max_payload: 1_048_576, ...info })}\r\n`,
    );
    socket.on("data", (bytes) => {
      if (bytes.includes("PING")) socket.write("PONG\r\n");
      const [, reply] = /PUB \S+ (\S+) \d+\r\n/.exec(bytes.toString()) ?? [];
      if (reply) socket.write(`HMSG ${reply} 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n`);
    });
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

describe("connecting to NATS for the first time", () => {
  it("gives up in one sentence if no server answers in time", async () => {
    const gone = await greeter({});
    await gone[Symbol.asyncDispose]();
    expect(await refusalOf(`nats://agent:hunter2@${gone.address}`, { connectForMs: 300 })).toBe(
      `No NATS server answers at ${gone.address} (ECONNREFUSED); start one, or correct BUS_URL.`,
    );
    expect(await refusalOf("nats://hunter2@no.such.host.invalid:4222", { connectForMs: 0 })).toMatch(
      /^No NATS server answers at no\.such\.host\.invalid:4222 \(E\w+\); start one, or correct BUS_URL\.$/,
    );
  });

  it("refuses a server that is too old, at once", async () => {
    await using old = await greeter({ version: "2.8.4" });
    expect(await refusalOf(`nats://${old.address}`)).toBe(
      `The NATS server at ${old.address} has version 2.8.4; this bus needs 2.9 or newer.`,
    );
  });

  it("refuses a server that accepts only small messages, at once", async () => {
    await using small = await greeter({ max_payload: 65_536 });
    expect(await refusalOf(`nats://${small.address}`)).toBe(
      `The NATS server at ${small.address} accepts messages of 65536 bytes; set its max_payload to 524288 or more.`,
    );
  });

  it("insists on TLS if the URL does", async () => {
    await using plain = await greeter({});
    expect(await refusalOf(`tls://${plain.address}`)).toBe(
      `The NATS server at ${plain.address} has no TLS; use nats:// in BUS_URL, or give the server a certificate.`,
    );
  });

  it("refuses a server without JetStream, at once", async () => {
    await using without = await greeter({ jetstream: false });
    expect(await refusalOf(`nats://${without.address}`)).toBe(
      `The NATS server at ${without.address} has no JetStream; start it with -js, or enable JetStream for this account.`,
    );
  });

  it("refuses an account without JetStream, at once", async () => {
    const accounts = "{ A: { users: [ { user: agent, password: hunter2 } ] } }";
    await using server = await startPrivateServer("nats", { settings: { accounts, no_auth_user: "agent" } });
    expect(await refusalOf(`nats://agent:hunter2@127.0.0.1:${server.port}`)).toBe(
      `JetStream is not enabled for this account at the NATS server at 127.0.0.1:${server.port}; enable it there.`,
    );
  });

  it("refuses a login that the server refuses, at once", async () => {
    await using server = await startPrivateServer("nats", { user: "agent", password: "right" });
    const { port } = server;
    for (const login of ["agent:hunter2@", "hunter2@", ""])
      expect(await refusalOf(`nats://${login}127.0.0.1:${port}`)).toBe(
        `The NATS server at 127.0.0.1:${port} refuses this login; correct the user and password, or the token, in BUS_URL.`,
      );
    const bus = await connectBus(natsUrl(`nats://agent:right@127.0.0.1:${port}`, "login"), { clock: Date.now });
    await bus.close();
  });

  it("waits for a server that comes in time, and uses the one of several that answers", async () => {
    await using server = await startPrivateServer("nats");
    const other = await greeter({});
    await other[Symbol.asyncDispose]();
    await server.stop();
    const url = natsUrl(`nats://${other.address},127.0.0.1:${server.port}`, "late");
    const connecting = connectBus(url, { clock: Date.now, connectForMs: PATIENCE_MS });
    await server.start();
    const bus = await within(PATIENCE_MS, "it connects", connecting);
    await bus.close();
  });
});

describe("streams that already exist", () => {
  let server: PrivateServer;
  beforeAll(async () => {
    server = await startPrivateServer("nats");
  });
  afterAll(() => server.remove());

  /** Creates the streams of a namespace first, and then returns the outcome of a consume. */
  async function consuming(namespace: string, stream: object | null, query = "max-bytes=4194304") {
    await using client = await natsClient(server.url);
    const name = `${namespace.toUpperCase()}_WORK`;
    for (const kind of stream ? ["work", "dead"] : []) {
      const config = { name: `${namespace}_${kind}`.toUpperCase(), subjects: [`${namespace}.${kind}.>`], num_replicas: 1, ...stream };
      await client.ask(`$JS.API.STREAM.CREATE.${config.name}`, config);
    }
    const bus = await connectBus(`${server.url}?namespace=${namespace}&${query}`, { clock: Date.now });
    const context = { bus, connect: async () => bus, drainMs: 300, patienceMs: PATIENCE_MS };
    try {
      const { deliveries } = await collect(context, "orders");
      await bus.publish(probe("orders", "first"));
      await deliveries.until("it arrives", ({ length }) => length === 1);
      const config: unknown = (await client.ask(`$JS.API.STREAM.INFO.${name}`)).get("config");
      return { config, refusal: "" };
    } catch (error) {
      expect(error).toBeInstanceOf(BusUnavailable);
      return { config: null, refusal: error instanceof Error ? error.message : "" };
    } finally {
      await bus.close();
    }
  }

  it("get the settings that they must have", async () => {
    const stream = { retention: "workqueue", storage: "file", discard: "old", max_bytes: 1_048_576, duplicate_window: 1_000_000_000 };
    const { config } = await consuming("other-settings", stream);
    expect(config).toMatchObject({ discard: "new", max_bytes: 4_194_304, duplicate_window: 120_000_000_000, max_msg_size: 524_288 });
  });

  it.each([
    ["in-memory", { retention: "workqueue", storage: "memory" }, "storage"],
    ["no-work-queue", { retention: "limits", storage: "file" }, "retention"],
  ])("are refused in one sentence if they are %s", async (namespace, stream, setting) => {
    const { refusal } = await consuming(namespace, stream);
    expect(refusal).toBe(
      `The stream ${namespace.toUpperCase()}_DEAD exists with other settings that cannot change (${setting}); delete it, or use another namespace.`,
    );
  });

  it("do not get more replicas than the server has", async () => {
    const { refusal } = await consuming("replicas", null, "replicas=3&max-bytes=4194304");
    expect(refusal).toBe(
      "The queue replicas_dead_orders of the stream REPLICAS_DEAD is unavailable for replicas.dead.dead.orders: the server is not a cluster that could keep several replicas; set replicas to 1 in BUS_URL.",
    );
  });

  it("do not become larger than the server", async () => {
    const { refusal } = await consuming("large", null, "max-bytes=900000000000000");
    expect(refusal).toContain("the server has no room for it; give it more storage, or set fewer max-bytes in BUS_URL.");
  });

  it("are refused in one sentence if another consumer takes the subject", async () => {
    await using client = await natsClient(server.url);
    const name = "OVERLAP_WORK";
    const stream = { name, subjects: ["overlap.work.>"], retention: "workqueue", storage: "file", num_replicas: 1 };
    await client.ask(`$JS.API.STREAM.CREATE.${name}`, stream);
    const config = { durable_name: "theirs", ack_policy: "explicit", filter_subject: "overlap.work.>" };
    await client.ask(`$JS.API.CONSUMER.DURABLE.CREATE.${name}.theirs`, { stream_name: name, config });
    const { refusal } = await consuming("overlap", null);
    expect(refusal).toContain("another consumer of the stream takes its subject; delete that one.");
  });
});
