import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { sseBytes, sseWriter } from "./sse-writer.ts";

const EVENT = sseBytes({ id: "run:1", name: "turn", data: JSON.stringify({ text: "x".repeat(10_000) }) });
const LIMIT = 65_536;

describe("a writer of server-sent events", () => {
  it("buffers no more than its limit and one event for a client that does not read, and then disconnects it", async () => {
    await using t = await setup();
    const writer = sseWriter(t.response, LIMIT, []);
    let most = 0;
    // This is more than the kernel buffers for a connection on any machine.
    for (let sent = 0; sent < 64_000_000 && writer.send(EVENT); sent += EVENT.length) {
      most = Math.max(most, t.response.writableLength);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(most).toBeLessThanOrEqual(LIMIT + 2 * EVENT.length);
    expect(most).toBeGreaterThan(LIMIT / 2);
    expect([t.response.destroyed, writer.send(EVENT), writer.comment("ping"), writer.behind()]).toEqual([true, false, false, true]);
  });

  it("waits for a client that is behind, and continues when it has read", async () => {
    await using t = await setup();
    const writer = sseWriter(t.response, LIMIT, []);
    while (!writer.behind()) {
      writer.send(EVENT);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const waited = writer.drained(60_000);
    t.client.resume();
    expect([await waited, writer.behind()]).toEqual([true, false]);
  });

  it("gives up on a client that stalls for too long", async () => {
    await using t = await setup();
    const writer = sseWriter(t.response, LIMIT, []);
    while (!writer.behind()) {
      writer.send(EVENT);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([await writer.drained(20), t.response.destroyed]).toEqual([false, true]);
  });

  it("is not behind, and waits for nothing, when all is read", async () => {
    await using t = await setup();
    const writer = sseWriter(t.response, LIMIT, []);
    t.client.resume();
    writer.send(EVENT);
    expect([await writer.drained(60_000), writer.behind()]).toEqual([true, false]);
  });
});

/** Opens both ends of one response. The client reads nothing until the test asks it to. */
async function setup() {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => resolve(response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  client.on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: toolbus\r\n\r\n");
  return {
    response: await promise,
    client,
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
