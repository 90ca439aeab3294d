import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";

/** What one connection may cost, whoever is at its other end. Times in milliseconds. */
export interface ConnectionBounds {
  /** From its first byte, or from the connection, to the end of a request's headers. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /** How often the two are looked at: a request may take that much longer. */
  readonly checkMs: number;
  /** Without a request. */
  readonly idleMs: number;
  /** From the end of an answer to when the system has taken all of it: it does once the client reads. */
  readonly answerMs: number;
  /** Requests sent before the answers to those before them were read. */
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
 * A server whose connections keep these. A request that takes too long is answered 408 and its connection closed. The connection of a client that does not read
 * its answer in time, streams after their end included, or that asks on without reading, is destroyed: what is written for it stands in this
 * process's memory until it reads.
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
  // Before anything else looks at a request: a piece of 64 KiB may hold a thousand of them.
  return createServer(options, (request, answer) => {
    const { socket } = request;
    const others = open.get(socket) ?? 0;
    // Without a word: a word would have to wait behind the answers that nobody reads.
    if (others >= pipelined) return void socket.destroy();
    open.set(socket, others + 1);
    let timer: NodeJS.Timeout | undefined;
    // All of the answer is written by then; most often the system has taken it, too.
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
