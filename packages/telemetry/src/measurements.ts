import type { Metric } from "./names.ts";
import { type Attributes, recorder } from "./recorder.ts";
import { redactText } from "./redact.ts";

/** Records a measurement. A tag has few possible values: names, codes and statuses, but never ids. */
export function measure(metric: Metric, value: number, tags: Attributes = {}): void {
  recorder().measurements?.record(metric, value, cleanTags(tags));
}

/** Returns whether measurements are recorded in this process. */
export function metricsAreOn(): boolean {
  return recorder().measurements !== null;
}

/**
 * Reads a gauge whenever measurements are collected. Returns a function that stops this. Does nothing while telemetry is off. A gauge that several parts of
 * a process report needs different tags from each.
 */
export function observeGauge(metric: Metric, read: () => Promise<number | null>, tags: Attributes = {}): () => void {
  return recorder().measurements?.observe(metric, read, cleanTags(tags)) ?? (() => undefined);
}

function cleanTags(tags: Attributes): Attributes {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, typeof value === "string" ? redactText(value) : value]));
}
