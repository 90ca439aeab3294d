import type { Metric } from "./names.ts";
import { type Attributes, recorder } from "./recorder.ts";
import { redactText } from "./redact.ts";

/** Records a measurement. Tags have few values: names, codes and statuses, never ids. */
export function measure(metric: Metric, value: number, tags: Attributes = {}): void {
  recorder().measurements?.record(metric, value, cleanTags(tags));
}

/** Reads a gauge whenever measurements are collected. The returned function ends that. Does nothing while telemetry is off. */
export function observeGauge(metric: Metric, read: () => Promise<number | null>): () => void {
  return recorder().measurements?.observe(metric, read) ?? (() => undefined);
}

function cleanTags(tags: Attributes): Attributes {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, typeof value === "string" ? redactText(value) : value]));
}
