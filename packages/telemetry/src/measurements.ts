import type { Metric } from "./names.ts";
import { type Attributes, recorder } from "./recorder.ts";
import { redactedTags } from "./redacted-tags.ts";

/** Records a measurement. A tag has few possible values: names, codes and statuses, but never ids. */
export function measure(metric: Metric, value: number, tags: Attributes = {}): void {
  recorder().measurements?.record(metric, value, tags);
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
  return recorder().measurements?.observe(metric, read, redactedTags(tags)) ?? (() => undefined);
}
