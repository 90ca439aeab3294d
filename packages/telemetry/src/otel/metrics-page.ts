import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import type { IMetricReader, MetricProducer } from "@opentelemetry/sdk-metrics";
import { TelemetryRefused } from "../refused.ts";
import type { PageAddress } from "../settings.ts";

/** The page `/metrics`, from which Prometheus reads the metrics of this process. */
export interface MetricsPage {
  /** The reader to register with the SDK, which the page asks for the values. */
  readonly reader: IMetricReader;
  /** Starts to answer. Rejects with `TelemetryRefused` if the address cannot be used. */
  listen(): Promise<void>;
  /** Stops to answer, and breaks open connections. Safe to use twice. */
  close(): Promise<void>;
}

/** How long a gauge may take, for example because the store does not answer. A later one is missing in the answer. */
const GAUGES_MS = 2000;
const MOST_CONNECTIONS = 32;
const REQUEST_MS = 5000;
/** The form of Prometheus's text. Prometheus 3 refuses an answer that does not name one. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Makes the page. We serve it ourselves, because the exporter's own server takes port 0 as its default port, answers every method, and has no limits.
 * All requests that arrive during one collection share it, so that a flood of requests reads the gauges no more often.
 */
export function metricsPage({ host, port }: PageAddress, metricProducers: readonly MetricProducer[] = []): MetricsPage {
  const reader = new PrometheusExporter({ preventServerStart: true, metricProducers: [...metricProducers] });
  // Every series has the name of its service, so that no query depends on how Prometheus was told to find the processes.
  const serializer = new PrometheusSerializer("", false, /^service\.name$/, false, true);
  let collecting: Promise<string> | null = null;
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 8192 }, answer);
  server.maxConnections = MOST_CONNECTIONS;
  return {
    reader,
    listen: () =>
      new Promise((resolve, reject) => {
        server.on("error", (error) => reject(refusal(error, host, port)));
        server.listen({ host, port }, () => resolve());
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.split("?")[0] !== "/metrics") return say(response, 404, "Only /metrics is served here.");
    if (request.method !== "GET" && request.method !== "HEAD")
      return say(response.setHeader("allow", "GET, HEAD"), 405, "/metrics answers only GET.");
    collecting ??= collect().finally(() => (collecting = null));
    collecting.then(
      (text) => void response.writeHead(200, { "content-type": CONTENT_TYPE }).end(text),
      () => say(response, 503, "The metrics cannot be read now, because this process starts or stops."),
    );
  }

  async function collect(): Promise<string> {
    // A gauge that fails or takes too long is missing, and the rest is still right.
    const { resourceMetrics } = await reader.collect({ timeoutMillis: GAUGES_MS });
    return serializer.serialize(resourceMetrics);
  }
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${sentence}\n`);
}

function refusal(error: Error, host: string, port: number): Error {
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  const about: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another process, so /metrics cannot be served: stop that process, or choose another port with METRICS_PORT.`,
    EACCES: `Port ${port} on ${host} needs more rights than this process has: choose one above 1023 with METRICS_PORT.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set METRICS_HOST to one that is.`,
    ENOTFOUND: `${host} is not an address of this machine: set METRICS_HOST to one that is.`,
  };
  return new TelemetryRefused(
    about[code] ?? `/metrics cannot be served on port ${port} of ${host} (${code}): change METRICS_HOST or METRICS_PORT.`,
  );
}
