import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A handler for both versions of HTTP. It uses only members that Node's request objects have in both. */
export type Exchange = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface Listening {
  readonly origin: string;
  /** Closes every connection immediately. */
  close(): Promise<void>;
}

/**
 * Listens for HTTP/1.1 and HTTP/2 without TLS on one free port of loopback. The client's first bytes show the version. Bedrock's SDK begins with
 * HTTP/2, and all other clients begin with HTTP/1.1.
 */
export async function listen(exchange: Exchange): Promise<Listening> {
  const sockets = new Set<Socket>();
  const http1 = createHttp1(exchange);
  // Node's compatibility layer for HTTP/2 behaves like HTTP/1.1 in everything that `Exchange` uses.
  const http2 = createHttp2(exchange as unknown as Parameters<typeof createHttp2>[1]);
  http2.on("sessionError", () => undefined);

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // The server does not report a client that breaks the connection.
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first.subarray(0, 4).toString("latin1") === "PRI " ? http2 : http1).emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });

  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
