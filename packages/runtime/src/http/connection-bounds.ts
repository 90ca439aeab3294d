import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

/** What one connection may cost, whoever is at its other end. Times in milliseconds. */
export interface ConnectionBounds {
  /** From its first byte, or from the connection, to the end of a request's headers. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /** How often the two are checked: a request may take that much longer. */
  readonly checkMs: number;
  /** How long a connection may have no request. */
  readonly idleMs: number;
  /** From the end of an answer until the system has accepted all of it, which it does once the client reads. */
  readonly answerMs: number;
  /** Requests sent before the answers to the earlier ones were read. */
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
 * A server whose connections keep these limits. A request that takes too long is answered 408 and its connection closed. If a client does not read its
 * answer in time (including streams after their end), or keeps asking without reading, its connection is destroyed: unread answers stay in this process's
 * memory.
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
  // Before anything else looks at a request: a piece of 64 KiB may contain a thousand of them.
  return createServer(options, (request, answer) => {
    const { socket } = request;
    const others = open.get(socket) ?? 0;
    // Without a message, which would have to wait behind the unread answers.
    if (others >= pipelined) return void socket.destroy();
    open.set(socket, others + 1);
    let timer: NodeJS.Timeout | undefined;
    // The whole answer is written by then; most often the system has accepted it, too.
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
