import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { freePort } from "./free-port.ts";
import { type TcpConnection, tcpConnection } from "./tcp-connection.ts";
import { noFaults, oneFault } from "./tcp-faults.ts";

/** A network path to a server, with faults. The faults apply to all open and future connections. */
export interface TcpProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The number of clients' connections that are open now. */
  readonly connections: number;
  /** Returns the URL of the server, with this proxy's address instead of the server's. */
  through(url: string): string;
  /** Delays each piece by this many milliseconds, in both directions and in order. 0 ends the delay. */
  delay(ms: number): void;
  /** Lets nothing pass, not even the end of a stream. Connections stay open, and new ones are accepted. */
  blackHole(): void;
  /** Ends a delay and a black hole, and passes on the held pieces. Cancels pending one-time faults. */
  heal(): void;
  /** Resets all connections now. */
  cut(): void;
  /**
   * Resets the first connection that delivers this many bytes to its client, counted from now. Exactly these bytes arrive. Resolves with true if that
   * happened, or with false if `heal`, `close` or another call cancelled it.
   */
  cutAfter(bytes: number): Promise<boolean>;
  /**
   * Drops the next answer to a request that a client sends from now on, and resets that connection. The server has done the work, but the client does
   * not know. An answer is the next data over the same connection, so nothing else should be in flight there. Resolves with true if that happened, or
   * with false if it was cancelled.
   */
  dropNextReply(): Promise<boolean>;
  /** Refuses new connections until `accept`, as a server that is down does. Open connections stay. */
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
    // The listener's close event waits for the connections, but the port is free at once.
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
