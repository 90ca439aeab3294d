import { Agent as HttpAgent, globalAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { eventReader } from "./event-reader.ts";

/** How a request did not become a stream, or its stream not a whole one. */
export type StreamFault =
  | { readonly kind: "refused"; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  /** 200, and something else than events. */
  | { readonly kind: "not_events"; readonly headers: IncomingHttpHeaders; readonly text: string }
  /** No answer. */
  | { readonly kind: "unreachable"; readonly error: NodeJS.ErrnoException }
  /** The connection broke in the middle of the answer. */
  | { readonly kind: "broken"; readonly error: NodeJS.ErrnoException };

/** Where requests go, with what every one of them says. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface EventTarget {
  /** The headers of an answer that is a stream. */
  onHeaders?(headers: IncomingHttpHeaders): void;
  /** `open`: the stream ended before the event did. True says that it was the last one. What is thrown ends the request and rejects. */
  onData(data: string, open: boolean): boolean;
}

// Longer than a vendor's explanation, shorter than a page that somebody put in its place.
const MAX_ERROR_CHARS = 65_536;
const IDLE_SOCKET_MS = 60_000;
// After its last event a stream is over; a server that keeps it open all the same is left.
const AFTER_LAST_MS = 1000;

/**
 * Posts JSON text and reads the answer as server-sent events, up to the one that `onData` calls the last or the end of the stream; null then, and
 * otherwise the fault. Rejects with the signal's reason at once when it aborts; nothing is given to the target after it has settled. The signal is
 * the only deadline.
 *
 * On Node's own client: the `openai` SDK, which does the same on fetch, takes four to six times the processor time a request, and hides whether a
 * stream was ended or broke off.
 */
export function postEvents(endpoint: Endpoint, json: string, signal: AbortSignal, target: EventTarget): Promise<StreamFault | null> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamFault | null>();
  const { url, headers } = endpoint;
  const secure = url.protocol === "https:";
  const options = {
    method: "POST",
    agent: agents()[secure ? "https" : "http"],
    headers: { ...headers, "content-length": Buffer.byteLength(json) },
  };
  let settled = false;
  let answered = false;
  /** Of an answer that is no stream: its status has said the most of it, however it ends. */
  let keptText: (() => void) | null = null;

  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    signal.removeEventListener("abort", onAbort);
    return true;
  };
  const finish = (fault: StreamFault | null): void => {
    if (settle()) resolve(fault);
  };
  const fail = (reason: unknown): void => {
    if (settle()) reject(reason as Error);
    request.destroy();
  };
  const onAbort = (): void => fail(signal.reason);
  const onError = (error: NodeJS.ErrnoException): void => {
    if (keptText === null) finish({ kind: answered ? "broken" : "unreachable", error });
    else keptText();
  };

  const request = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
    answered = true;
    response.setEncoding("utf8");
    response.on("error", onError);
    const { statusCode: status = 0, headers: said } = response;
    if (status < 200 || status >= 300) keep(response, (text) => finish({ kind: "refused", status, headers: said, text }));
    else if (/\bevent-stream\b/i.test(said["content-type"] ?? "")) read(response);
    else keep(response, (text) => finish({ kind: "not_events", headers: said, text }));
  });
  request.on("error", onError);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  else request.end(json);
  return promise;

  function read(response: IncomingMessage): void {
    const reader = eventReader((data, open) => {
      if (settled || !target.onData(data, open)) return;
      finish(null);
      request.setTimeout(AFTER_LAST_MS, () => request.destroy());
    });
    const guarded = (step: () => void) => {
      if (settled) return;
      try {
        step();
      } catch (error) {
        fail(error);
      }
    };
    guarded(() => target.onHeaders?.(response.headers));
    response.on("data", (text: string) => guarded(() => reader.push(text)));
    response.on("end", () => {
      guarded(() => reader.end());
      finish(null);
    });
  }

  /** The beginning of an answer that is no stream. */
  function keep(response: IncomingMessage, then: (text: string) => void): void {
    let text = "";
    keptText = () => then(text.slice(0, MAX_ERROR_CHARS));
    response.on("data", (piece: string) => {
      text += piece;
      if (text.length >= MAX_ERROR_CHARS) request.destroy();
    });
    response.on("close", keptText);
  }
}

let shared: ReturnType<typeof openAgents> | undefined;

/** Connections are kept between the turns of a run. Idle ones keep no process alive; a proxy is used where Node itself is told to use one. */
function agents(): ReturnType<typeof openAgents> {
  return (shared ??= openAgents());
}

function openAgents() {
  const { proxyEnv } = (globalAgent as { readonly options?: { readonly proxyEnv?: NodeJS.Dict<string> } }).options ?? {};
  const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, ...(proxyEnv === undefined ? {} : { proxyEnv }) };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) } as const;
}
