import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectorConnections } from "./collector.ts";
import { otlpSpanSender } from "./otlp-sender.ts";

const BODY = Buffer.from("spans ".repeat(100));

describe("the sender of spans", () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await collector.stop();
  });

  it("posts the bytes as they are, with the headers that were set", async () => {
    const sender = open();
    await sender.send(BODY);
    await sender.close();
    expect(collector.received()).toMatchObject([{ body: BODY, headers: { "content-type": "application/x-protobuf", "x-team": "tools" } }]);
  });

  it("compresses them if the SDK's variable says so", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip");
    await open().send(BODY);
    const [{ body, headers } = raise()] = collector.received();
    expect(headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(body)).toEqual(BODY);
    expect(body.length).toBeLessThan(BODY.length);
  });

  it("fails with the status of a collector that refuses them, and can send again", async () => {
    collector.answerWith(400);
    const sender = open();
    await expect(sender.send(BODY)).rejects.toMatchObject({ code: 400 });
    collector.answerWith(200);
    await sender.send(BODY);
  });

  function open() {
    const target = { url: collector.url, protocol: "http/protobuf", headers: { "x-team": "tools" }, timeoutMs: 10_000, tls: {} } as const;
    return otlpSpanSender(target, collectorConnections());
  }
});

async function startCollector() {
  let status = 200;
  const received: { readonly body: Buffer; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ body, headers: request.headers });
      response.writeHead(status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    received: () => received,
    answerWith: (next: number) => void (status = next),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function raise(): never {
  throw new Error("nothing was received");
}
