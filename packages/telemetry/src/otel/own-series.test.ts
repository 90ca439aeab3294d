import { type Meter } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { describe, expect, it } from "vitest";
import { type Metric, metricNames } from "../names.ts";
import type { Attributes } from "../recorder.ts";
import { ownMetrics } from "./own-metrics.ts";
import { ownSeries } from "./own-series.ts";
import { sdkMeasurements } from "./sdk-measurements.ts";

const SECRET = "Bearer abcdefgh12345678";
const TAGS = { tool_name: "look", status: "ok" };

type Record = (metric: Metric, value: number, tags: Attributes) => void;

describe("measurements that we add up ourselves", () => {
  it.each<[string, (record: Record) => void]>([
    ["a counter", (record) => [1, 2, 0, 0.5].forEach((value) => record(metricNames.toolInvocations, value, TAGS))],
    ["a counter that goes up and down", (record) => [1, 1, -1, -3].forEach((value) => record(metricNames.openStreams, value, {}))],
    [
      "a histogram, at its bounds and beyond",
      (record) => [0, 1, 1.5, 2, 300_000, 300_001].forEach((value) => record(metricNames.toolDuration, value, TAGS)),
    ],
    ["values that are none", (record) => [-1, Number.NaN, 3].forEach((value) => record(metricNames.toolDuration, value, TAGS))],
    ["a counter that is taken back", (record) => [5, -1].forEach((value) => record(metricNames.toolInvocations, value, TAGS))],
    [
      "several series, in turn and in other orders of the tags",
      (record) => {
        for (let n = 0; n < 100; n++) record(metricNames.toolInvocations, 1, { tool_name: `t${n % 7}`, status: n % 2 ? "ok" : "error" });
        record(metricNames.toolInvocations, 1, { tool_name: "t0", status: "error", more: undefined });
        record(metricNames.toolInvocations, 1, { tool_name: "t0" });
      },
    ],
    [
      "tags with a credential",
      (record) => [1, 1].forEach((value) => record(metricNames.toolInvocations, value, { ...TAGS, x: `a ${SECRET}` })),
    ],
    [
      "tags that are equal once they are redacted",
      (record) => ["a", "b"].forEach((end) => record(metricNames.toolInvocations, 1, { x: SECRET + end })),
    ],
    [
      "more series than a metric may have",
      (record) => {
        for (let n = 0; n < 2100; n++) record(metricNames.toolInvocations, 1, { tool_name: `t${n}` });
      },
    ],
  ])("are those of the SDK for %s", async (_, measure) => {
    const [ours, theirs] = [await collected(own(measure)), await collected(sdks(measure))];
    expect(ours).toEqual(theirs);
    expect(ours.length).toBe(1);
    expect(JSON.stringify(ours)).not.toContain("12345678");
  });

  it("of a reader come beside what others measure through OpenTelemetry's API", async () => {
    const reading = own((record) => record(metricNames.toolInvocations, 1, TAGS));
    reading.meter.createCounter("a.tools.own").add(1);
    expect((await collected(reading)).map(({ name }) => name)).toEqual(["a.tools.own", "toolbus.tool.invocations"]);
  });

  it("begin with their first value", async () => {
    let now = 1_000;
    const series = ownSeries(() => now);
    series.record(metricNames.toolInvocations, 1, TAGS);
    now = 3_500;
    series.record(metricNames.toolInvocations, 1, TAGS);
    const { resourceMetrics } = await ownMetrics(series, resourceFromAttributes({}), () => now).collect();
    expect(resourceMetrics.scopeMetrics[0]?.metrics[0]?.dataPoints[0]).toMatchObject({ startTime: [1, 0], endTime: [3, 500_000_000] });
  });
});

interface Reading {
  readonly meter: Meter;
  read(): Promise<InMemoryMetricExporter>;
}

function own(measure: (record: Record) => void): Reading {
  const series = ownSeries(Date.now);
  measure(series.record);
  return reading([ownMetrics(series, resourceFromAttributes({}), Date.now)]);
}

function sdks(measure: (record: Record) => void): Reading {
  const made = reading([]);
  measure(sdkMeasurements(made.meter).record);
  return made;
}

function reading(metricProducers: ReturnType<typeof ownMetrics>[]): Reading {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 3_600_000,
    exportTimeoutMillis: 10_000,
    metricProducers,
  });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter("toolbus"),
    async read() {
      await reader.forceFlush();
      await reader.shutdown();
      return exporter;
    },
  };
}

/** Returns what an exporter gets, without the times. */
async function collected({ read }: Reading) {
  const [{ scopeMetrics } = { scopeMetrics: [] }] = (await read()).getMetrics();
  return scopeMetrics.flatMap(({ scope, metrics }) =>
    metrics.map(({ descriptor: { name, unit, description, valueType }, dataPointType, aggregationTemporality, dataPoints, ...rest }) => ({
      scope: scope.name,
      name,
      unit,
      description,
      valueType,
      dataPointType,
      aggregationTemporality,
      ...rest,
      points: dataPoints
        .map(({ attributes, value }) => ({
          tags: Object.fromEntries(Object.entries(attributes).toSorted(([a], [b]) => a.localeCompare(b))),
          value: plain(value),
        }))
        .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    })),
  );
}

/** Returns the value without what only a reader of the SDK's kind of bounds sees. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
