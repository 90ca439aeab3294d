import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

/** The limits of one connection, for every client. Times are in milliseconds. */
export interface ConnectionBounds {
  /** The time from the connection, or from the request's first byte, to the end of the headers. */
  readonly headersMs: number;
  /** The time to the end of the request's body. */
  readonly requestMs: number;
  /** The interval at which the server checks the two limits above. A request may exceed a limit by this time. */
  readonly checkMs: number;
  /** How long a connection may have no request. */
  readonly idleMs: number;
  /**
   * How long the operating system may take to accept the rest of an answer after the server has written it. The system accepts more data only when
   * the client reads.
   */
  readonly answerMs: number;
  /** The number of requests that a client may send before it has read the earlier answers. */
  readonly pipelined: number;
}

export const CONNECTION_BOUNDS: ConnectionBounds = {
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5000,
  idleMs: 72_000,
  answerMs: 30_000,
  pipelined: 16,
};

/**
 * Creates a server that enforces these limits. It answers 408 to a request that takes too long and closes the connection. It destroys the connection
 * of a client that does not read an answer in time, or that sends requests without reading the answers. Otherwise unread answers would fill this
 * process's memory. The limit for answers also applies to a stream, once the stream has ended.
 */
export function boundedServer(handler: RequestListener, bounds: ConnectionBounds, maxHeaderSize: number): Server {
  const { headersMs, requestMs, checkMs, idleMs, answerMs, pipelined } = bounds;
  const open = new WeakMap<Socket, number>();
  const options = {
    maxHeaderSize,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: idleMs,
  };
  // This handler runs before any other code sees a request, because 64 KiB of input may contain a thousand requests.
  return createServer(options, (request, answer) => {
    const { socket } = request;
    const others = open.get(socket) ?? 0;
    // The server sends no error message, because the message would have to wait behind the unread answers.
    if (others >= pipelined) return void socket.destroy();
    open.set(socket, others + 1);
    let timer: NodeJS.Timeout | undefined;
    // At this event the server has written the whole answer. In most cases the system has already accepted all of it.
    answer.once("prefinish", () => {
      if (socket.writableLength > 0) timer = setTimeout(() => socket.destroy(), answerMs);
    });
    answer.once("close", () => {
      clearTimeout(timer);
      open.set(socket, (open.get(socket) ?? 1) - 1);
    });
    handler(request, answer);
  });
}
