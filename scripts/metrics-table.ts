import { type Metric, metricNames, prometheusName } from "@toolbus/telemetry";
import type { Sections } from "./generated-sections.ts";
import { markdownTable } from "./markdown-table.ts";

/** Returns the generated part of `docs/telemetry.md`: a table of every metric. */
export function telemetrySections(): Sections {
  const metrics: readonly Metric[] = Object.values(metricNames);
  const rows = metrics
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((metric) => [`\`${metric.name}\``, `\`${prometheusName(metric)}\``, KINDS[metric.kind], metric.unit, metric.description]);
  return { metrics: markdownTable(["Metric", "On `/metrics`", "Kind", "Unit", "Meaning"], rows) };
}

const KINDS: Readonly<Record<Metric["kind"], string>> = {
  counter: "counter",
  upDownCounter: "gauge",
  gauge: "gauge",
  histogram: "histogram",
};
