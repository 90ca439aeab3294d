import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A webhook that a target received. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Starts a real HTTP server that receives webhooks. `answer` returns the status of the answer. If the status is 0, the server does not answer. `next`
 * resolves with the next webhook.
 */
export async function receiver(answer: (count: number) => number = () => 204) {
  const arrived: Received[] = [];
  const waiting: ((received: Received) => void)[] = [];
  let count = 0;
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      const first = waiting.shift();
      if (first) first(received);
      else arrived.push(received);
      const status = answer(++count);
      if (status === 0) return;
      reply.writeHead(status, status === 302 ? { location: "http://127.0.0.1:1/" } : {}).end("what the target says");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hook?token=in-the-address`,
    get count() {
      return count;
    },
    next(): Promise<Received> {
      const first = arrived.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const SECRETS = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(32, n).toString("base64")}`);
