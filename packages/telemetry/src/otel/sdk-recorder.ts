import { randomBytes } from "node:crypto";
import { context, diag, logs, metrics, propagation, trace } from "@opentelemetry/api";
import { SDK_INFO, setGlobalErrorHandler } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { JsonlFiles } from "../jsonl-files.ts";
import type { Recorder } from "../recorder.ts";
import type { SamplerSettings, TelemetrySettings } from "../settings.ts";
import { apiRecorder } from "./api-recorder.ts";
import { collectorConnections } from "./collector.ts";
import { OwnContext } from "./own-context.ts";
import { ownMetrics } from "./own-metrics.ts";
import { ownSeries } from "./own-series.ts";
import { ownSpans } from "./own-spans.ts";
import { SCOPE } from "./scope.ts";
import { signalPipelines } from "./signal-pipelines.ts";
import { spanIds } from "./span-ids.ts";
import { type Stoppable, stopInOrder } from "./stop-in-order.ts";

export interface SdkRecorder {
  readonly recorder: Omit<Recorder, "audit">;
  /** Sends the remaining data, first traces, then measurements, then log records. Gives up after `withinMs` milliseconds. Never rejects. */
  shutdown(withinMs: number): Promise<void>;
}

export interface SdkOptions {
  readonly settings: TelemetrySettings;
  readonly instanceId: string;
  readonly files: JsonlFiles;
  /** True if the client of RabbitMQ gets spans of its own. The client must not be loaded yet. */
  readonly instrumentAmqp: boolean;
  /**
   * Receives the reason why something was not exported, and how often this happened. `why` is a code, and never the answer of a collector.
   */
  readonly onFault: (why: string, times?: number) => void;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/**
 * Sets up the SDK as the settings require, and registers it with OpenTelemetry's API in this process. So records of a tool or an instrumentation are
 * exported in the same way as ours, and our spans are the parents of their spans. We pass the settings to the SDK. It could read the variables
 * itself, but it would silently use a default for an invalid value.
 */
export async function sdkRecorder(options: SdkOptions): Promise<SdkRecorder> {
  const { settings, instanceId, files, instrumentAmqp, onFault, monotonic } = options;
  const connections = collectorConnections();
  const onFailed = (error: unknown): void => onFault(codeOf(error));
  const onDropped = (spans: number): void => onFault("queue_full", spans);
  const resource = resourceOf(settings, instanceId);
  const series = settings.otherMetrics ? null : ownSeries(Date.now);
  const metricProducers = series ? [ownMetrics(series, resource, Date.now)] : [];
  const pipelines = await signalPipelines({ settings, files, connections, metricProducers, onFailed, onDropped });
  const amqp = instrumentAmqp && pipelines.spanProcessors.length > 0 ? await amqpSpans() : null;
  diag.disable();
  setGlobalErrorHandler(onFailed);
  const own = pipelines.spanProcessors.length > 0 && !settings.spanLimits;
  const sdk = new NodeSDK({
    resource,
    ...(own ? { contextManager: new OwnContext() } : {}),
    autoDetectResources: false,
    sampler: samplerOf(settings.sampler),
    spanProcessors: [...pipelines.spanProcessors],
    metricReaders: [...pipelines.metricReaders],
    logRecordProcessors: [...pipelines.logRecordProcessors],
    instrumentations: amqp ? [amqp] : [],
  });
  sdk.start();
  const api = apiRecorder({
    traces: pipelines.spanProcessors.length > 0,
    metrics: pipelines.metricReaders.length > 0,
    logs: pipelines.logRecordProcessors.length > 0,
  });
  const spans = () =>
    ownSpans({
      resource,
      scope: { name: SCOPE },
      processors: pipelines.spanProcessors,
      sampler: settings.sampler,
      ids: spanIds(randomBytes),
    });
  const measurements = api.measurements && series ? { ...api.measurements, record: series.record } : api.measurements;
  const recorder = { ...api, measurements, ...(own ? { spans: spans() } : {}) };
  try {
    await pipelines.metricsPage?.listen();
  } catch (error) {
    await shutdown(0);
    throw error;
  }
  return { recorder, shutdown };

  async function shutdown(withinMs: number): Promise<void> {
    const stages: readonly (readonly Stoppable[])[] = [
      pipelines.spanProcessors,
      pipelines.metricReaders,
      pipelines.logRecordProcessors,
      // The SDK itself stops after all of its parts.
      [sdk],
    ];
    // The page closes first, because its reader has nothing to send.
    await pipelines.metricsPage?.close();
    const ended = await stopInOrder(stages, { withinMs, monotonic });
    connections.giveUp();
    amqp?.disable();
    // After this, another start in this process can register again.
    for (const api of [trace, metrics, logs, context, propagation]) api.disable();
    if (!ended) onFault("stopped_before_all_was_sent");
  }
}

async function amqpSpans() {
  const { amqpClientSpans } = await import("./amqp-client-spans.ts");
  return amqpClientSpans();
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

function samplerOf({ root, ratio, parentBased }: SamplerSettings): Sampler {
  const own = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]();
  return parentBased ? new ParentBasedSampler({ root: own }) : own;
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === "string" || typeof code === "number" ? String(code) : typeof name === "string" ? name : "unknown";
}
