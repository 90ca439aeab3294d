import { type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import { AggregationTemporality, DataPointType, type MetricData, type MetricProducer } from "@opentelemetry/sdk-metrics";
import type { MetricSeries, OwnSeries, Series } from "./own-series.ts";
import { SCOPE } from "./scope.ts";

/** Returns our series for the SDK's readers, which merge them with the metrics of the SDK itself: our gauges and the metrics of tools. */
export function ownMetrics(series: OwnSeries, resource: Resource, clock: () => number): MetricProducer {
  return {
    async collect() {
      const endTime = millisToHrTime(clock());
      const metrics = series.read().map((each) => dataOf(each, endTime));
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: SCOPE }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

function dataOf({ metric, series }: MetricSeries, endTime: HrTime): MetricData {
  const { name, description, unit, kind, buckets: boundaries = [] } = metric;
  const about = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const pointOf = ({ tags, since }: Series) => ({
    attributes: { ...tags } as Record<string, string>,
    startTime: millisToHrTime(since),
    endTime,
  });
  if (kind !== "histogram")
    return {
      ...about,
      dataPointType: DataPointType.SUM,
      isMonotonic: kind === "counter",
      dataPoints: series.map((each) => ({ ...pointOf(each), value: each.sum })),
    };
  return {
    ...about,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: series.map((each) => {
      const { sum, count, min, max, buckets } = each;
      return { ...pointOf(each), value: { sum, count, min, max, buckets: { boundaries: [...boundaries], counts: [...buckets] } } };
    }),
  };
}
