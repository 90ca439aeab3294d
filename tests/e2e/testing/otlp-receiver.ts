import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text as bodyOf } from "node:stream/consumers";

/** One request as an exporter sent it. */
export interface Export {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A span of OTLP/JSON, with its attributes as a plain object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** One of 1 (internal), 2 (server), 3 (client), 4 (producer) and 5 (consumer). */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly failed: boolean;
  /** The scope: `toolbus` or an instrumentation. */
  readonly scope: string;
  /** `service.name` and `service.instance.id` of the process that sent it. */
  readonly service: string;
  readonly instance: string;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  /** The tags of each series. */
  readonly points: readonly Readonly<Record<string, unknown>>[];
  /** The value of each series of a counter or a gauge, or the sum of a histogram, in the same order. */
  readonly values: readonly number[];
}

export interface ReceivedLog {
  readonly body: unknown;
  readonly severity: string;
  readonly traceId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector in this process that accepts OTLP over HTTP and stores it. */
export interface OtlpReceiver {
  readonly url: string;
  exports(): readonly Export[];
  spans(): readonly ReceivedSpan[];
  metrics(): readonly ReceivedMetric[];
  logs(): readonly ReceivedLog[];
  /** Returns the resource attributes of every export, for example `service.name`. */
  resources(): readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const received: Export[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(200, { "content-type": request.headers["content-type"] ?? "application/json" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const json = (path: string): readonly Json[] => received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as Json);
  const traces = (): readonly Json[] => json("/v1/traces").flatMap((body) => list(body, "resourceSpans"));
  const measurements = (): readonly Json[] => json("/v1/metrics").flatMap((body) => list(body, "resourceMetrics"));
  const records = (): readonly Json[] => json("/v1/logs").flatMap((body) => list(body, "resourceLogs"));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports: () => received,
    spans: () => traces().flatMap(spansOf),
    metrics: () => measurements().flatMap((one) => list(one, "scopeMetrics").flatMap((scope) => list(scope, "metrics").map(metricOf))),
    logs: () => records().flatMap((one) => list(one, "scopeLogs").flatMap((scope) => list(scope, "logRecords").map(logOf))),
    resources: () => [...traces(), ...measurements(), ...records()].map(({ resource }) => attributesOf(resource as Json)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Json = Readonly<Record<string, unknown>>;

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function list(of: Json, field: string): readonly Json[] {
  return (of[field] as readonly Json[] | undefined) ?? [];
}

function spansOf(sent: Json): readonly ReceivedSpan[] {
  const resource = attributesOf(sent["resource"] as Json);
  const from = { service: text(resource["service.name"]), instance: text(resource["service.instance.id"]) };
  return list(sent, "scopeSpans").flatMap(({ scope, spans }) => {
    const made = { ...from, scope: text((scope as Json)["name"]) };
    return (spans as readonly Json[]).map((span) => ({ ...spanOf(span), ...made }));
  });
}

function spanOf(span: Json): Omit<ReceivedSpan, "scope" | "service" | "instance"> {
  return {
    traceId: text(span["traceId"]),
    spanId: text(span["spanId"]),
    parentSpanId: text(span["parentSpanId"]),
    name: text(span["name"]),
    kind: Number(span["kind"]),
    attributes: attributesOf(span),
    links: list(span, "links").map(({ traceId, spanId }) => ({ traceId: text(traceId), spanId: text(spanId) })),
    events: list(span, "events").map((event) => ({ name: text(event["name"]), attributes: attributesOf(event) })),
    failed: (span["status"] as Json)["code"] === 2,
  };
}

function metricOf(metric: Json): ReceivedMetric {
  const data = (metric["histogram"] ?? metric["sum"] ?? metric["gauge"] ?? {}) as Json;
  return {
    name: text(metric["name"]),
    unit: text(metric["unit"]),
    points: list(data, "dataPoints").map(attributesOf),
    values: list(data, "dataPoints").map(valueOfPoint),
  };
}

function valueOfPoint(point: Json): number {
  return Number(point["asInt"] ?? point["asDouble"] ?? point["sum"]);
}

function logOf(record: Json): ReceivedLog {
  return {
    body: valueOf(record["body"] as Json),
    severity: text(record["severityText"]),
    traceId: text(record["traceId"]),
    attributes: attributesOf(record),
  };
}

function attributesOf(of: Json): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list(of, "attributes").map(({ key, value }) => [text(key), valueOf(value as Json)]));
}

function valueOf(value: Json): unknown {
  if ("arrayValue" in value) return list(value["arrayValue"] as Json, "values").map(valueOf);
  if ("intValue" in value) return Number(value["intValue"]);
  if ("kvlistValue" in value)
    return Object.fromEntries(list(value["kvlistValue"] as Json, "values").map((pair) => [pair["key"], valueOf(pair["value"] as Json)]));
  return Object.values(value)[0];
}
