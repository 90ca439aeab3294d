import { once } from "node:events";
import { createServer } from "node:http";

export interface Collector {
  readonly url: string;
  /** Returns how many bytes the collector has received so far. */
  readonly bytes: () => number;
  stop(): Promise<void>;
}

/** Starts a collector that accepts everything that OTLP sends over HTTP, and stores nothing. */
export async function startCollector(): Promise<Collector> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => void (bytes += chunk.length));
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the collector has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    bytes: () => bytes,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
