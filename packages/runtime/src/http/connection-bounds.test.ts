import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { CONNECTION_BOUNDS, type ConnectionBounds } from "./connection-bounds.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { documented, serverOptions } from "../testing/http-under-test.ts";

const LARGE = 16 * 1024 * 1024;
const SHORT: ConnectionBounds = { headersMs: 100, requestMs: 300, checkMs: 50, idleMs: 72_000, answerMs: 300, pipelined: 4 };
const HEAD = "HTTP/1.1\r\nHost: x\r\n";

describe("a connection", () => {
  it("whose client does not read its answer is destroyed, and no other", async () => {
    await using t = await setup();
    const socket = t.connection(`GET /large ${HEAD}\r\n`);
    await t.dropped(socket);
    expect(await (await fetch(`${t.server.url}/small`)).json()).toEqual({ small: true });
  });

  it("whose client reads its answer slowly, and in time, gets all of it", async () => {
    await using t = await setup({ ...SHORT, answerMs: 20_000 });
    const socket = t.connection(`GET /large ${HEAD}Connection: close\r\n\r\n`);
    let read = 0;
    for await (const bytes of socket) {
      read += (bytes as Buffer).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toBeGreaterThan(LARGE);
  });

  it("whose client does not read a stream until its end is also destroyed", async () => {
    await using t = await setup();
    await t.dropped(t.connection(`GET /stream ${HEAD}\r\n`));
  });

  it("whose client keeps asking without reading is destroyed before the answers are made", async () => {
    await using t = await setup({ ...SHORT, answerMs: 20_000 });
    await t.dropped(t.connection(`GET /large ${HEAD}\r\n`.repeat(1000)));
    expect(t.asked()).toBeLessThanOrEqual(4);
  });

  it.each([
    { what: "its headers", text: `GET /small ${HEAD}X-Slow: ` },
    { what: "its body", text: `POST /small ${HEAD}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{` },
  ])("whose client sends $what for ever, a byte at a time, is answered 408 and closed", async ({ text }) => {
    await using t = await setup();
    const socket = t.connection(text);
    const drip = setInterval(() => socket.write("x"), 20);
    const answer = await all(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: "request_timeout" });
  });

  it("that stays silent is closed", async () => {
    await using t = await setup();
    await all(t.connection(""));
  });

  it("has these bounds by default", () => {
    expect(CONNECTION_BOUNDS).toEqual({
      headersMs: 15_000,
      requestMs: 30_000,
      checkMs: 5000,
      idleMs: 72_000,
      answerMs: 30_000,
      pipelined: 16,
    });
  });
});

/** Returns everything that arrives until the server closes the socket. */
async function all(socket: Socket): Promise<string> {
  let text = "";
  try {
    for await (const bytes of socket.setEncoding("utf8")) text += bytes;
  } catch {
    // The server closed the socket while our bytes were on their way.
  }
  return text;
}

async function setup(bounds = SHORT) {
  const large = "x".repeat(LARGE);
  const here = new Set<Socket>();
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>();
  let asked = 0;
  const server: HttpServer = await startHttpServer(
    serverOptions({
      bounds,
      routes: [
        documented({
          method: "GET",
          url: "/large",
          access: "public",
          handle: async (request) => {
            asked++;
            request.raw.socket.once("close", onGone);
            return { large };
          },
        }),
        documented({
          method: "GET",
          url: "/stream",
          access: "public",
          handle: async (request, reply) => {
            request.raw.socket.once("close", onGone);
            reply.hijack();
            reply.raw.writeHead(200, { "content-type": "text/event-stream" });
            reply.raw.end(large);
            return undefined;
          },
        }),
        documented({ method: "GET", url: "/small", access: "public", handle: async () => ({ small: true }) }),
        documented({ method: "POST", url: "/small", access: "public", handle: async () => ({ small: true }) }),
      ],
    }),
  );
  return {
    server,
    asked: () => asked,
    /** Sends this text, and reads nothing until the test resumes the socket. */
    connection(text: string): Socket {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      socket.pause().on("error", () => undefined);
      socket.write(text);
      here.add(socket);
      return socket;
    },
    /** Resolves when the server has released the socket. Its client has not read the whole answer by then. */
    async dropped(socket: Socket): Promise<void> {
      await gone;
      expect(socket.bytesRead).toBeLessThan(LARGE);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of here) socket.destroy();
      await server.stop();
    },
  };
}
