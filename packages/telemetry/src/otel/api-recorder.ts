import { logs, metrics, trace } from "@opentelemetry/api";
import type { Recorder } from "../recorder.ts";
import { SCOPE } from "./scope.ts";
import { sdkLogs } from "./sdk-logs.ts";
import { sdkMeasurements } from "./sdk-measurements.ts";
import { sdkSpans } from "./sdk-spans.ts";

/** Returns a recorder that uses OpenTelemetry's API with any SDK behind it: ours, or the one that a user's own `--import` started. */
export function apiRecorder(on: { readonly traces: boolean; readonly metrics: boolean; readonly logs: boolean }): Omit<Recorder, "audit"> {
  return {
    spans: on.traces ? sdkSpans(trace.getTracer(SCOPE)) : null,
    measurements: on.metrics ? sdkMeasurements(metrics.getMeter(SCOPE)) : null,
    logs: on.logs ? sdkLogs(logs.getLogger(SCOPE)) : null,
  };
}
