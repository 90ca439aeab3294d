import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A NATS server whose JetStream has no leader. It accepts connections and announces JetStream, but answers no request to JetStream. */
export interface SilentJetStream extends AsyncDisposable {
  /** The address as host:port. Nobody listens on it before `listen`. */
  readonly address: string;
  listen(): Promise<void>;
}

const INFO = { server_id: "SILENT", version: "2.9.10", proto: 1, headers: true, jetstream: true, max_payload: 8 * 1024 * 1024 };

export async function silentJetStream(): Promise<SilentJetStream> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`);
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const _ of text.matchAll(/(?:^|\n)PING\r/g)) socket.write("PONG\r\n");
    });
  });
  const port = await freePort();
  return {
    address: `127.0.0.1:${port}`,
    async listen() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const finder = createServer().listen(0, "127.0.0.1");
  await once(finder, "listening");
  const address = finder.address();
  finder.close();
  await once(finder, "close");
  if (typeof address !== "object" || !address) throw new Error("There is no free port.");
  return address.port;
}
