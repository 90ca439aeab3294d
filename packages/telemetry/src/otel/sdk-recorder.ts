import { diag } from "@opentelemetry/api";
import { SDK_INFO, setGlobalErrorHandler } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type * as SdkTrace from "@opentelemetry/sdk-trace";
import type { Recorder } from "../recorder.ts";
import type { JsonlFiles } from "../jsonl-files.ts";
import type { OtlpTarget, SamplerSettings, TelemetrySettings } from "../settings.ts";
import { collectorConnections } from "./collector.ts";
import { sdkLogs } from "./sdk-logs.ts";
import { sdkMeasurements } from "./sdk-measurements.ts";
import { sdkSpans } from "./sdk-spans.ts";
import { traceFiles } from "./trace-files.ts";

export interface SdkRecorder {
  readonly recorder: Omit<Recorder, "audit">;
  /** Sends what is left; gives up after so many milliseconds. Never rejects. */
  shutdown(withinMs: number): Promise<void>;
}

export interface SdkOptions {
  readonly settings: TelemetrySettings;
  readonly instanceId: string;
  readonly files: JsonlFiles;
  /** Something was not exported. `why` is a code, never what a collector answered. */
  readonly onFault: (why: string) => void;
}

/** One word names the scope of all our spans, measurements and records. */
const SCOPE = "toolbus";

/** Starts the parts of the SDK that the settings ask for; each is loaded only then. */
export async function sdkRecorder({ settings, instanceId, files, onFault }: SdkOptions): Promise<SdkRecorder> {
  const connections = collectorConnections();
  const resource = resourceOf(settings, instanceId);
  const stops: (() => Promise<unknown>)[] = [];
  diag.disable();
  setGlobalErrorHandler((error) => onFault(codeOf(error)));
  const recorder = { spans: await spans(), measurements: await measurements(), logs: await logs() };
  return {
    recorder,
    async shutdown(withinMs) {
      const all = Promise.allSettled(stops.map((stop) => stop()));
      const { promise: late, resolve } = Promise.withResolvers<"late">();
      const timer = setTimeout(() => resolve("late"), withinMs);
      const ended = await Promise.race([all, late]);
      clearTimeout(timer);
      connections.giveUp();
      if (ended === "late") onFault("stopped_before_all_was_sent");
    },
  };

  async function spans(): Promise<Recorder["spans"]> {
    const { targets, traceDir, sampler } = settings;
    if (!targets.traces && traceDir === null) return null;
    const { BatchSpanProcessor, TracerProvider, ...samplers } = await import("@opentelemetry/sdk-trace");
    const spanProcessors = [
      ...(traceDir === null ? [] : [await traceFiles(traceDir, files)]),
      ...(targets.traces ? [new BatchSpanProcessor({ exporter: await spanExporter(targets.traces) })] : []),
    ];
    const provider = new TracerProvider({ resource, sampler: samplerOf(sampler, samplers), spanProcessors });
    stops.push(() => provider.shutdown());
    return sdkSpans(provider.getTracer(SCOPE));
  }

  async function measurements(): Promise<Recorder["measurements"]> {
    const target = settings.targets.metrics;
    if (!target) return null;
    const { MeterProvider, PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
    const exportIntervalMillis = settings.metricIntervalMs;
    const reader = new PeriodicExportingMetricReader({
      exporter: await metricExporter(target),
      exportIntervalMillis,
      exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
    });
    const provider = new MeterProvider({ resource, readers: [reader] });
    stops.push(() => provider.shutdown());
    return sdkMeasurements(provider.getMeter(SCOPE));
  }

  async function logs(): Promise<Recorder["logs"]> {
    const target = settings.targets.logs;
    if (!target) return null;
    const { BatchLogRecordProcessor, LoggerProvider } = await import("@opentelemetry/sdk-logs");
    const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter: await logExporter(target) })] });
    stops.push(() => provider.shutdown());
    return sdkLogs(provider.getLogger(SCOPE));
  }

  async function spanExporter(target: OtlpTarget) {
    const { OTLPTraceExporter } =
      target.protocol === "http/json"
        ? await import("@opentelemetry/exporter-trace-otlp-http")
        : await import("@opentelemetry/exporter-trace-otlp-proto");
    return new OTLPTraceExporter(connections.optionsFor(target));
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

type Samplers = Pick<typeof SdkTrace, "AlwaysOffSampler" | "AlwaysOnSampler" | "ParentBasedSampler" | "TraceIdRatioBasedSampler">;

function samplerOf({ root, ratio, parentBased }: SamplerSettings, samplers: Samplers) {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = samplers;
  const own = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]();
  return parentBased ? new ParentBasedSampler({ root: own }) : own;
}

function resourceOf({ serviceName, resource }: TelemetrySettings, instanceId: string): Resource {
  return resourceFromAttributes({
    "service.namespace": "toolbus",
    "service.instance.id": instanceId,
    ...resource,
    "service.name": serviceName,
    ...SDK_INFO,
  });
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === "string" || typeof code === "number" ? String(code) : typeof name === "string" ? name : "unknown";
}
