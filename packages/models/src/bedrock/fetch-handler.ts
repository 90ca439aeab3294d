import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { frameMeter } from "../adapter/answer-meter.ts";
import { boundedBody } from "../adapter/bounded-response.ts";
import { beginningOf } from "../adapter/response-text.ts";

/** A signed request of the SDK. */
interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The handler that sends the SDK's requests. */
export interface FetchHandler extends Record<string, unknown> {
  handle(request: SignedRequest, options?: { readonly abortSignal?: AbortSignal }): Promise<{ readonly response: object }>;
}

/**
 * Returns a handler that sends the SDK's requests over Node's `fetch`. By default, the SDK opens an HTTP/2 connection for each request. Such a
 * connection costs a handshake per turn, and gateways without TLS do not speak HTTP/2. The handler has no timeout, because the signal is the
 * deadline. No answer exceeds the limits in `bounds`. The SDK receives only the beginning of an error.
 */
export function fetchHandler(bounds: AnswerBounds = DEFAULT_BOUNDS): FetchHandler {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request, { abortSignal } = {}) {
      const response = await fetch(urlOf(request), {
        method: request.method,
        // `fetch` itself writes these two headers, from the signed address and body.
        headers: Object.entries(request.headers).filter(([name]) => !/^(host|content-length)$/i.test(name)),
        body: request.body ?? null,
        signal: abortSignal ?? null,
        redirect: "manual",
      });
      const { status: statusCode, headers, body } = response;
      const answer = { statusCode, headers: Object.fromEntries(headers) };
      if (!response.ok) return { response: { ...answer, body: Buffer.from(await beginningOf(response)) } };
      return { response: { ...answer, body: body === null ? new Uint8Array() : boundedBody(body, frameMeter(bounds), bounds) } };
    },
    // The SDK requires these methods, but no setting can be changed from outside.
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

function urlOf({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => valuesOf(value).map((one): [string, string] => [name, one]));
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${search}`;
}

function valuesOf(value: string | readonly string[] | null): readonly string[] {
  if (value === null) return [""];
  return typeof value === "string" ? [value] : value;
}
