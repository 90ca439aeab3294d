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
 * Sends the SDK's requests over Node's `fetch`. The SDK's default for this service is HTTP/2 with a connection for each request, which costs a handshake
 * per turn and which gateways without TLS do not speak. There is no timeout: the signal is the deadline. No answer exceeds its limits, and of an error only
 * the beginning is passed on.
 */
export function fetchHandler(bounds: AnswerBounds = DEFAULT_BOUNDS): FetchHandler {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request, { abortSignal } = {}) {
      const response = await fetch(urlOf(request), {
        method: request.method,
        // `fetch` writes these two itself, from the address and the body that were signed.
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
    // The SDK requires these; none of them can be set from outside.
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
