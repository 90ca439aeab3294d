import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { freePort } from "./free-port.ts";
import { type TcpConnection, tcpConnection } from "./tcp-connection.ts";
import { noFaults, oneFault } from "./tcp-faults.ts";

/** A network path to a server, with faults. They apply to all connections, open and future ones. */
export interface TcpProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Connections of clients that are open now. */
  readonly connections: number;
  /** The URL of the server, with this proxy in its place. */
  through(url: string): string;
  /** From now on each piece arrives so many milliseconds late, in both directions and in order; 0 ends the delay. */
  delay(ms: number): void;
  /** Connections stay open, new ones are accepted, and nothing passes, not even the end of a side. */
  blackHole(): void;
  /** Ends a delay and a black hole, and passes on what was held. Cancels pending one-time faults. */
  heal(): void;
  /** Resets all connections now. */
  cut(): void;
  /**
   * Resets the first connection that delivers so many bytes to its client, counted from now; exactly these arrive. True if it happened, false if
   * `heal`, `close` or another call cancelled it.
   */
  cutAfter(bytes: number): Promise<boolean>;
  /**
   * Drops the next answer to a request that a client sends from now on, and resets that connection: the server has done it, and the client does not
   * know. An answer is whatever comes next over the same connection, so nothing else should be in flight there. True and false as above.
   */
  dropNextReply(): Promise<boolean>;
  /** Refuses new connections until `accept`, like a server that is down. Open ones stay. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Resets all connections and stops listening. Safe to call twice. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

export async function tcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const faults = noFaults();
  const connections = new Set<TcpConnection>();
  const port = await freePort();
  let listener: Server | null = await listen();

  const stopListening = async (): Promise<void> => {
    const old = listener;
    listener = null;
    // Its close event waits for the connections, but the port is free at once.
    old?.close();
  };
  const takeBack = (): void => {
    faults.cut?.settle(false);
    faults.lostReply?.settle(false);
    faults.cut = null;
    faults.lostReply = null;
  };
  const cut = (): void => connections.forEach((connection) => connection.cut());
  const close = async (): Promise<void> => {
    takeBack();
    await stopListening();
    const closing = [...connections].map(({ closed }) => closed);
    cut();
    await Promise.all(closing);
  };

  return {
    host: HOST,
    port,
    get connections() {
      return connections.size;
    },
    through(url) {
      const other = new URL(url);
      other.hostname = HOST;
      other.port = String(port);
      return other.href;
    },
    delay(ms) {
      faults.delayMs = ms;
    },
    blackHole() {
      faults.blackHole = true;
      wake();
    },
    heal() {
      faults.blackHole = false;
      faults.delayMs = 0;
      takeBack();
      wake();
    },
    cut,
    cutAfter(bytes) {
      faults.cut?.settle(false);
      faults.cut = { ...oneFault(), afterBytes: bytes };
      return faults.cut.happened;
    },
    dropNextReply() {
      faults.lostReply?.settle(false);
      faults.lostReply = oneFault();
      return faults.lostReply.happened;
    },
    refuse: stopListening,
    async accept() {
      listener ??= await listen();
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  function wake(): void {
    connections.forEach((connection) => connection.wake());
  }

  async function listen(): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      const connection = tcpConnection(client, target, faults);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    });
    server.listen(port, HOST);
    await once(server, "listening");
    return server;
  }
}
