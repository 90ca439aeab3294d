import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import type { AnswerBounds } from "../adapter/answer-bounds.ts";
import { CONNECT_TIMEOUT } from "../adapter/connection-error.ts";
import { type StreamedAnswer, streamedAnswer } from "./streamed-answer.ts";

/** A request that got no answer. The cause is the error of the network. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

// Node's `fetch` waits as long.
const CONNECT_MS = 10_000;

/**
 * Returns a function that posts JSON text to one address with these headers, over Node's own client. It follows no redirect, because the request
 * contains a key. It never repeats a request and sets no deadline, because the caller's signal is the deadline. Node's global agents keep idle connections
 * for 5 s, and use a proxy if Node is configured to use one (`NODE_USE_ENV_PROXY`). Rejects with `NoAnswer` if no answer begins or no connection is made
 * in `connectMs`, and with the signal's reason after an abort. An abort also ends the body of the answer.
 */
export function jsonPoster(
  url: URL,
  headers: Readonly<Record<string, string>>,
  bounds: AnswerBounds,
  connectMs = CONNECT_MS,
): (json: string, signal: AbortSignal) => Promise<StreamedAnswer> {
  const isPlain = url.protocol === "http:";
  const send = isPlain ? httpRequest : httpsRequest;
  // Node would do this again for each request.
  const target = urlToHttpOptions(url);
  return async (json, signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<StreamedAnswer>();
    const length = String(Buffer.byteLength(json));
    const request = send(
      { ...target, method: "POST", headers: { ...headers, "accept-encoding": "identity", "content-length": length } },
      (message: IncomingMessage) => resolve(streamedAnswer(message, bounds)),
    );
    // Node's own option `signal` destroys the socket with an error. If the answer just ended, nobody listens to it, and the error ends the process.
    const abort = (): void => void request.destroy();
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => signal.removeEventListener("abort", abort));
    request.on("error", (error) => reject(signal.aborted ? signal.reason : new NoAnswer(error.message, { cause: error })));
    request.once("socket", (socket) => limitConnecting(socket, isPlain ? "connect" : "secureConnect", connectMs));
    request.end(json);
    return await promise;
  };
}

/** Ends a connection that is not made in time. Without this, a host that drops packets would use up the deadline of the call. */
function limitConnecting(socket: Socket, connected: "connect" | "secureConnect", connectMs: number): void {
  if (!socket.connecting) return;
  const late = (): Error => Object.assign(new Error(`there was no connection after ${connectMs} ms`), { code: CONNECT_TIMEOUT });
  const timer = setTimeout(() => socket.destroy(late()), connectMs);
  const stop = (): void => clearTimeout(timer);
  socket.once(connected, stop).once("close", stop);
}
