import {
  attributeNames,
  type Attributes,
  measure,
  metricNames,
  type OpenSpan,
  openSpan,
  redactText,
  spanNames,
  spansAreOn,
} from "@toolbus/telemetry";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The server spans of requests. */
export interface RequestSpans {
  /** Runs the handler of a request as part of its span. */
  run<T>(request: FastifyRequest, work: () => T): T;
}

// A monitor requests these addresses every few seconds, so they have no spans.
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const LONGEST_PATH = 200;

/**
 * Gives every request a server span below the client's span. The span begins before other hooks run, and ends when the answer is sent or the client
 * disconnects. It never records queries, or headers other than the trace context. Call it before any other hook is added.
 */
export function requestSpans(app: FastifyInstance, options: { readonly service: string; readonly host: string }): RequestSpans {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route !== undefined && PROBES.has(route)) return done();
    const span = openSpan(spanNames.http(request.method, route), {
      kind: "server",
      parent: { how: "received", carrier: carrierOf(request) },
      inherited: { [attributeNames.service]: options.service },
      // Without a recorder, a span only passes the client's trace on.
      ...(spansAreOn() ? { attributes: attributesOf(request, options.host) } : {}),
    });
    spans.set(request, span);
    // This event is emitted for every answer, and for every client that disconnects.
    reply.raw.once("close", () => end(span, request, reply));
    done();
  });
  return {
    run(request, work) {
      const span = spans.get(request);
      return span ? span.run(work) : work();
    },
  };
}

function end(span: OpenSpan, request: FastifyRequest, reply: FastifyReply): void {
  const status = reply.raw.statusCode;
  span.set({ [attributeNames.httpStatus]: status });
  if (status >= 500) span.fail(String(status));
  span.end();
  measure(metricNames.httpDuration, reply.elapsedTime / 1000, {
    [attributeNames.httpMethod]: request.method,
    [attributeNames.httpRoute]: request.routeOptions.url,
    [attributeNames.httpStatus]: status,
    [attributeNames.urlScheme]: "http",
  });
}

function attributesOf(request: FastifyRequest, host: string): Attributes {
  return {
    [attributeNames.httpMethod]: request.method,
    [attributeNames.httpRoute]: request.routeOptions.url,
    [attributeNames.urlPath]: pathOf(request),
    [attributeNames.urlScheme]: "http",
    [attributeNames.serverAddress]: host,
    [attributeNames.serverPort]: request.socket.localPort,
  };
}

/** Returns the path for the span. Returns undefined for an unknown address, because a stranger may put anything into such an address. */
function pathOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.url === undefined) return undefined;
  return redactText(request.url.split("?")[0] ?? "").slice(0, LONGEST_PATH);
}

function carrierOf({ headers }: FastifyRequest) {
  const { traceparent, tracestate, baggage } = headers;
  return { traceparent: text(traceparent), tracestate: text(tracestate), baggage: text(baggage) };
}

/** Joins the values of a repeated header with commas, as W3C requires for these headers. A repeated `traceparent` is then invalid, as intended. */
function text(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}
