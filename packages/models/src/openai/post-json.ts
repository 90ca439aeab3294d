import type { Dispatcher } from "undici";
import type { AnswerBounds } from "../adapter/answer-bounds.ts";
import { openDispatcher } from "./dispatcher.ts";
import { type ArrivingAnswer, arrivingAnswer, type StreamedAnswer } from "./streamed-answer.ts";

/** A request that got no answer. The cause is the error of the network. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

// Node's `fetch` waits as long.
const CONNECT_MS = 10_000;

/**
 * Returns a function that posts JSON text to one address with these headers, over undici's dispatchers. It follows no redirect, because the request
 * contains a key. It never repeats a request and sets no deadline, because the caller's signal is the deadline. Idle connections stay open for 4 s, or as
 * long as the server says. Node's proxy of the environment is used if Node is configured to use one (`NODE_USE_ENV_PROXY`). Rejects with `NoAnswer` if no
 * answer begins or no connection is made in `connectMs`, and with the signal's reason after an abort. An abort also ends the body of the answer.
 */
export function jsonPoster(
  url: URL,
  headers: Readonly<Record<string, string>>,
  bounds: AnswerBounds,
  connectMs = CONNECT_MS,
): (json: string, signal: AbortSignal) => Promise<StreamedAnswer> {
  const dispatcher = openDispatcher(url.origin, connectMs);
  const target = { origin: url.origin, path: `${url.pathname}${url.search}`, method: "POST" } as const;
  const sent = { ...headers, "accept-encoding": "identity" };
  return async (json, signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<StreamedAnswer>();
    let controller: Dispatcher.DispatchController | null = null;
    let answer: ArrivingAnswer | null = null;
    const abort = (): void => {
      reject(signal.reason);
      controller?.abort(ABORTED);
    };
    signal.addEventListener("abort", abort, { once: true });
    const over = (): void => signal.removeEventListener("abort", abort);
    // Headers are a new object for each request, because a dispatcher of a proxy adds its own to them.
    dispatcher.dispatch(
      { ...target, headers: { ...sent }, body: json },
      {
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) started.abort(ABORTED);
        },
        onResponseStart(started, status, received) {
          answer = arrivingAnswer(status, received, bounds, started);
          resolve(answer);
        },
        onResponseData: (_, piece) => answer?.push(piece),
        onResponseEnd() {
          over();
          answer?.end();
        },
        onResponseError(_, error) {
          over();
          if (answer) answer.fail(error);
          else reject(new NoAnswer(error.message, { cause: error }));
        },
      },
    );
    return await promise;
  };
}

/** The reason of an abort is for the caller, and not for the dispatcher. */
const ABORTED = new Error("the caller has aborted the request");
