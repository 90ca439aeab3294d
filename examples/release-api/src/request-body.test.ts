import { createServer, request as open } from "node:http";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { readJsonBody, type RequestBody } from "./request-body.ts";

/** Starts a real server that reads one body until a signal aborts, and a client whose request is still open. */
async function setup() {
  const read = Promise.withResolvers<RequestBody>();
  const arrived = Promise.withResolvers<void>();
  const late = new AbortController();
  const server = createServer((request, response) => {
    arrived.resolve();
    void readJsonBody(request, late.signal).then((body) => {
      read.resolve(body);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const client = open({ host: "127.0.0.1", port: typeof address === "object" ? address?.port : undefined, method: "POST" });
  client.on("error", () => {});
  return {
    client,
    late,
    arrived: arrived.promise,
    body: read.promise,
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("reading a request body", () => {
  it("reads JSON that arrives in pieces, cut inside a character", async () => {
    await using world = await setup();
    const bytes = Buffer.from('{"name":"zażółć"}');
    world.client.write(bytes.subarray(0, 12));
    world.client.end(bytes.subarray(12));
    expect(await world.body).toEqual({ ok: true, value: { name: "zażółć" } });
  });

  it("does not wait longer than the signal for the rest", async () => {
    await using world = await setup();
    world.client.write('{"half":');
    await world.arrived;
    world.late.abort();
    expect(await world.body).toEqual({ ok: false, problem: "cut_off" });
  });

  it("refuses bytes that are not UTF-8", async () => {
    await using world = await setup();
    world.client.end(Buffer.from([0x22, 0xff, 0x22]));
    expect(await world.body).toEqual({ ok: false, problem: "not_json" });
  });

  it("gives up on a body that never ends", async () => {
    await using world = await setup();
    const chunk = Buffer.alloc(64 * 1024, " ");
    const pump = () => {
      while (!world.client.destroyed && world.client.write(chunk));
    };
    world.client.on("drain", pump);
    pump();
    expect(await world.body).toEqual({ ok: false, problem: "too_large" });
  });
});
