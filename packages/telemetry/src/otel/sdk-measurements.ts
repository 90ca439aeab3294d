import type { Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";
import type { Metric } from "../names.ts";
import type { Recorder } from "../recorder.ts";
import { redactedTags } from "../redacted-tags.ts";

/** Sends measurements through a meter of the SDK. An instrument is created at its first use. */
export function sdkMeasurements(meter: Meter): NonNullable<Recorder["measurements"]> {
  const instruments = new Map<string, (value: number, tags: Record<string, unknown>) => void>();
  return {
    record(metric, value, tags) {
      let add = instruments.get(metric.name);
      if (!add) {
        add = instrument(meter, metric);
        instruments.set(metric.name, add);
      }
      add(value, { ...redactedTags(tags) });
    },
    observe(metric, read, tags) {
      const { name, unit, description } = metric;
      const gauge = meter.createObservableGauge(name, { unit, description });
      const callback: Parameters<typeof gauge.addCallback>[0] = async (result) => {
        // If the store does not answer, the only effect is a gap in the figures.
        const value = await read().catch(() => null);
        if (value !== null) result.observe(value, { ...tags });
      };
      gauge.addCallback(callback);
      return () => gauge.removeCallback(callback);
    },
  };
}

function instrument(
  meter: Meter,
  { name, kind, unit, description, buckets }: Metric,
): (value: number, tags: Record<string, unknown>) => void {
  const options = { unit, description, ...(buckets ? { advice: { explicitBucketBoundaries: [...buckets] } } : {}) };
  if (kind === "histogram") {
    const histogram: Histogram = meter.createHistogram(name, options);
    return (value, tags) => histogram.record(value, tags);
  }
  const counter: Counter | UpDownCounter =
    kind === "counter" ? meter.createCounter(name, options) : meter.createUpDownCounter(name, options);
  return (value, tags) => counter.add(value, tags);
}
