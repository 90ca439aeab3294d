// This is an example of a user's own `--import` (own-sdk.test.ts). It sets up OpenTelemetry's SDK as the SDK's documentation says, without
// code of ours.
import { InMemoryLogRecordExporter, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { AggregationTemporality, InMemoryMetricExporter, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";

export const spans = new InMemorySpanExporter();
export const measurements = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
export const records = new InMemoryLogRecordExporter();
export const reader = new PeriodicExportingMetricReader({ exporter: measurements });

new NodeSDK({
  serviceName: "the user's",
  spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  metricReaders: [reader],
  logRecordProcessors: [new SimpleLogRecordProcessor({ exporter: records })],
}).start();
