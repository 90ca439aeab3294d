import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { openaiModel } from "./openai-model.ts";
import { jsonPoster } from "./post-json.ts";
import { MODEL_CERT, MODEL_KEY } from "../testing/model-certificate.ts";
import { asking, facts, failure, outcome, testStream } from "../testing/test-stream.ts";

const SAID = "Well. ".repeat(2_000);
const EVENTS = [{ choices: [{ delta: { content: SAID } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join("");

const compressions: readonly [string, (data: Buffer) => Buffer][] = [
  ["gzip", zlib.gzipSync],
  ["GZIP", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["br", zlib.brotliCompressSync],
];

describe("an answer that a proxy compresses although nobody asked for it", () => {
  const compressed = (encoding: string, body: Buffer) =>
    testStream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding }).end(body);
    });

  it.each(compressions)("is read: %s", async (encoding, compress) => {
    await using stream = await compressed(encoding, compress(Buffer.from(`${EVENTS}data: [DONE]\n\n`)));
    const { reply } = await outcome(openaiModel({ model: "m", apiKey: null, baseUrl: stream.url, facts }));
    expect(reply.text).toBe(SAID);
  });

  it.each(compressions)("is nothing if it is cut off: %s", async (encoding, compress) => {
    const whole = compress(Buffer.from(EVENTS));
    await using stream = await compressed(encoding, whole.subarray(0, whole.length - 10));
    const failed = await failure(openaiModel({ model: "m", apiKey: null, baseUrl: stream.url, facts }));
    expect(failed).toMatchObject({ name: "NetworkError", message: expect.stringMatching(/broke in the middle of its reply/) });
  });

  it("has the limits of its size after the decompression", async () => {
    await using stream = await compressed("gzip", zlib.gzipSync(Buffer.from(EVENTS)));
    const bounds = { ...DEFAULT_BOUNDS, bytes: 5_000 };
    const failed = await failure(openaiModel({ model: "m", apiKey: null, baseUrl: stream.url, facts, bounds }));
    expect(failed).toMatchObject({ code: "answer_too_large" });
  });
});

describe("an answer", () => {
  it.each(["constructor", "__proto__", "toString"])("whose compression nobody knows is read as it is: %s", async (encoding) => {
    await using stream = await testStream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding }).end(`${EVENTS}data: [DONE]\n\n`);
    });
    const { reply } = await outcome(openaiModel({ model: "m", apiKey: null, baseUrl: stream.url, facts }));
    expect(reply.text).toBe(SAID);
  });

  it("is not blamed for the error of a listener", async () => {
    await using stream = await testStream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`${EVENTS}data: [DONE]\n\n`);
    });
    const bug = new TypeError("a fault of ours");
    const model = openaiModel({ model: "m", apiKey: null, baseUrl: stream.url, facts });
    const onText = () => {
      throw bug;
    };
    await expect(model.complete(asking(), { signal: AbortSignal.timeout(20_000), onText })).rejects.toBe(bug);
  });
});

describe("a connection", () => {
  it("that is not made in time fails as one that was never made", async () => {
    // A server that accepts connections but never answers a handshake.
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`);
    const failed = await jsonPoster(url, {}, DEFAULT_BOUNDS, 50)("{}", AbortSignal.timeout(4_000)).catch((error: unknown) => error);
    silent.close();
    expect(failed).toMatchObject({ name: "NoAnswer", cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
  });

  it.each(["NODE_USE_ENV_PROXY", "--use-env-proxy"])("goes through the proxy of the environment if Node is told so (%s)", async (told) => {
    const seen: [string | undefined, string | undefined][] = [];
    const proxy = createServer((request: IncomingMessage, response) => {
      seen.push([request.url, request.headers.host]);
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`${EVENTS}data: [DONE]\n\n`);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const script = `
      import { openaiModel } from ${JSON.stringify(new URL("openai-model.ts", import.meta.url).href)};
      const model = openaiModel(${JSON.stringify({ model: "m", apiKey: "k", baseUrl: "http://models.invalid/v1", facts })});
      const { text } = await model.complete(${JSON.stringify(asking())}, { signal: AbortSignal.timeout(20_000), onText: () => {} });
      process.stdout.write(text);`;
    const env = {
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      ...(told === "NODE_USE_ENV_PROXY" ? { NODE_USE_ENV_PROXY: "1" } : {}),
    };
    const flags = told === "--use-env-proxy" ? [told] : [];
    const args = [...flags, "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
    proxy.close();
    expect(stdout).toBe(SAID);
    expect(seen).toEqual([["http://models.invalid/v1/chat/completions", "models.invalid"]]);
  });

  it("to a vendor with TLS goes through a tunnel of the proxy and trusts the CAs that Node trusts", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "toolbus-models-"));
    const certificate = path.join(folder, "ca.pem");
    await writeFile(certificate, MODEL_CERT);
    const vendor = createTlsServer({ cert: MODEL_CERT, key: MODEL_KEY }, (request, response) => {
      request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(`${EVENTS}data: [DONE]\n\n`));
    }).listen(0, "127.0.0.1");
    const tunnels: (string | undefined)[] = [];
    const proxy = createServer().on("connect", (request: IncomingMessage, client: Duplex) => {
      tunnels.push(request.url);
      const to = connect((vendor.address() as AddressInfo).port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
      to.pipe(client).pipe(to);
    });
    proxy.listen(0, "127.0.0.1");
    await Promise.all([once(vendor, "listening"), once(proxy, "listening")]);
    const script = `
      import { openaiModel } from ${JSON.stringify(new URL("openai-model.ts", import.meta.url).href)};
      const model = openaiModel(${JSON.stringify({ model: "m", apiKey: "k", baseUrl: "https://models.test/v1", facts })});
      for (let n = 0; n < 2; n++) {
        const { text } = await model.complete(${JSON.stringify(asking())}, { signal: AbortSignal.timeout(20_000), onText: () => {} });
        process.stdout.write(text);
        await new Promise((resolve) => setImmediate(resolve));
      }`;
    const env = {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_USE_ENV_PROXY: "1",
      NODE_EXTRA_CA_CERTS: certificate,
    };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { env, timeout: 30_000 });
    proxy.close();
    vendor.close();
    await rm(folder, { recursive: true });
    expect(stdout).toBe(SAID + SAID);
    expect(new Set(tunnels)).toEqual(new Set(["models.test:443"]));
  });

  it("needs no part of its library that could replace the dispatcher of Node's own fetch", async () => {
    await using stream = await testStream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`${EVENTS}data: [DONE]\n\n`);
    });
    const script = `
      import { openaiModel } from ${JSON.stringify(new URL("openai-model.ts", import.meta.url).href)};
      import { createRequire } from "node:module";
      const model = openaiModel(${JSON.stringify({ model: "m", apiKey: "k", baseUrl: stream.url, facts })});
      await model.complete(${JSON.stringify(asking())}, { signal: AbortSignal.timeout(20_000), onText: () => {} });
      const loaded = Object.keys(createRequire(import.meta.url).cache).map((file) => file.replace(/^.*node_modules.undici./, ""));
      process.stdout.write(JSON.stringify(loaded));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { timeout: 30_000 });
    const loaded = JSON.parse(stdout) as readonly string[];
    expect(loaded).toContainEqual(expect.stringMatching(/^lib.dispatcher.pool\.js$/));
    expect(loaded.filter((file) => /^(?:index\.js|lib.global\.js|lib.web)/.test(file))).toEqual([]);
  });

  it("to a server without TLS, or to one that is no HTTP server, says so", async () => {
    await using plain = await testStream((response) => response.end());
    const tls = await failure(openaiModel({ model: "m", apiKey: null, baseUrl: plain.url.replace("http:", "https:"), facts }));
    expect(tls).toMatchObject({ name: "NetworkError", message: expect.stringContaining("does not speak TLS there") });
    const mail = createTcpServer((socket) => void socket.end("220 mail.test ESMTP\r\n")).listen(0, "127.0.0.1");
    await once(mail, "listening");
    const baseUrl = `http://127.0.0.1:${(mail.address() as AddressInfo).port}/v1`;
    const other = await failure(openaiModel({ model: "m", apiKey: null, baseUrl, facts }));
    mail.close();
    expect(other).toMatchObject({ name: "NetworkError", message: expect.stringContaining("does not speak HTTP there") });
  });

  it("sends nothing of a call that is aborted before it is made", async () => {
    await using stream = await testStream((response) => response.end());
    const post = jsonPoster(new URL(stream.url), {}, DEFAULT_BOUNDS);
    const controller = new AbortController();
    const posted = post('{"n":1}', controller.signal);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(posted).rejects.toBe(reason);
    (await post('{"n":2}', AbortSignal.timeout(20_000))).drop();
    expect(stream.bodies).toEqual([{ n: 2 }]);
  });

  it("is not made for a call that was already aborted", async () => {
    await using stream = await testStream((response) => response.end());
    const reason = new Error("enough");
    const posted = jsonPoster(new URL(stream.url), {}, DEFAULT_BOUNDS)("{}", AbortSignal.abort(reason));
    await expect(posted).rejects.toBe(reason);
    expect(stream.bodies).toEqual([]);
  });
});
