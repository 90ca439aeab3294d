import type { LogRecordProcessor } from "@opentelemetry/sdk-logs";
import type { IMetricReader, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import type { JsonlFiles } from "../jsonl-files.ts";
import type { OtlpTarget, TelemetrySettings } from "../settings.ts";
import type { CollectorConnections } from "./collector.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { traceFiles } from "./trace-files.ts";

/** The destinations to which the SDK passes each signal. */
export interface SignalPipelines {
  readonly spanProcessors: readonly SpanProcessor[];
  readonly metricReaders: readonly IMetricReader[];
  /** The page from which Prometheus reads the metrics, or null if there is none. Its reader is one of `metricReaders`. */
  readonly metricsPage: MetricsPage | null;
  readonly logRecordProcessors: readonly LogRecordProcessor[];
}

export interface PipelineOptions {
  /** Metrics that the readers get beside those of the SDK. */
  readonly metricProducers: readonly MetricProducer[];
  /** Receives the error of spans that were not sent. */
  readonly onFailed: (error: unknown) => void;
  /** Receives how many spans were dropped since the last time, because too many waited. */
  readonly onDropped: (spans: number) => void;
  readonly settings: TelemetrySettings;
  readonly files: JsonlFiles;
  readonly connections: CollectorConnections;
}

/** Creates the pipelines that the settings require. Throws `TelemetryRefused` if a folder or a certificate cannot be used. */
export async function signalPipelines(options: PipelineOptions): Promise<SignalPipelines> {
  const { settings, files, connections, metricProducers, onFailed, onDropped } = options;
  const { targets, console, traceDir, batches } = settings;
  const page = settings.metricsPage ? (await import("./metrics-page.ts")).metricsPage(settings.metricsPage, metricProducers) : null;
  return {
    spanProcessors: await spans(),
    metricReaders: [...(page ? [page.reader] : []), ...(await measurements())],
    metricsPage: page,
    logRecordProcessors: await records(),
  };

  async function spans(): Promise<readonly SpanProcessor[]> {
    const { ConsoleSpanExporter, SimpleSpanProcessor } = await import("@opentelemetry/sdk-trace");
    return [
      ...(traceDir === null ? [] : [await traceFiles(traceDir, files)]),
      ...(targets.traces ? [await sentSpans(targets.traces)] : []),
      ...(console.traces ? [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })] : []),
    ];
  }

  async function measurements(): Promise<readonly IMetricReader[]> {
    const { ConsoleMetricExporter, PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
    const exportIntervalMillis = settings.metricIntervalMs;
    const exporters = [
      ...(targets.metrics ? [await metricExporter(targets.metrics)] : []),
      ...(console.metrics ? [new ConsoleMetricExporter()] : []),
    ];
    const exportTimeoutMillis = Math.min(exportIntervalMillis, 30_000);
    return exporters.map(
      (exporter) =>
        new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis, metricProducers: [...metricProducers] }),
    );
  }

  async function records(): Promise<readonly LogRecordProcessor[]> {
    const { BatchLogRecordProcessor, ConsoleLogRecordExporter, SimpleLogRecordProcessor } = await import("@opentelemetry/sdk-logs");
    return [
      ...(targets.logs ? [new BatchLogRecordProcessor({ ...batches.records, exporter: await logExporter(targets.logs) })] : []),
      ...(console.logs ? [new SimpleLogRecordProcessor({ exporter: new ConsoleLogRecordExporter() })] : []),
    ];
  }

  async function sentSpans(target: OtlpTarget): Promise<SpanProcessor> {
    if (target.protocol === "http/json") {
      const { BatchSpanProcessor } = await import("@opentelemetry/sdk-trace");
      const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
      return new BatchSpanProcessor({ ...batches.spans, exporter: new OTLPTraceExporter(connections.optionsFor(target)) });
    }
    const { spanBatches } = await import("./span-batches.ts");
    const { otlpSpanSender } = await import("./otlp-sender.ts");
    const { send, close } = otlpSpanSender(target, connections);
    return spanBatches({ batches: batches.spans, send, close, onFailed, onDropped });
  }

  async function metricExporter(target: OtlpTarget) {
    const { OTLPMetricExporter } =
      target.protocol === "http/json"
        ? await import("@opentelemetry/exporter-metrics-otlp-http")
        : await import("@opentelemetry/exporter-metrics-otlp-proto");
    return new OTLPMetricExporter(connections.optionsFor(target));
  }

  async function logExporter(target: OtlpTarget) {
    const { OTLPLogExporter } =
      target.protocol === "http/json"
        ? await import("@opentelemetry/exporter-logs-otlp-http")
        : await import("@opentelemetry/exporter-logs-otlp-proto");
    return new OTLPLogExporter(connections.optionsFor(target));
  }
}
