import type { Metric } from "../names.ts";
import type { Attributes } from "../recorder.ts";
import { redactedTags } from "../redacted-tags.ts";

/** The values of one metric for one set of tags since the process began. */
export interface Series {
  readonly tags: Attributes;
  /** When the first value was recorded, in milliseconds since 1970. */
  readonly since: number;
  sum: number;
  count: number;
  min: number;
  max: number;
  /** How many values a histogram has in each bucket. The last bucket has no upper bound. */
  readonly buckets: number[];
}

export interface MetricSeries {
  readonly metric: Metric;
  readonly series: readonly Series[];
}

/** All series of this process, as an exporter reads them. */
export interface OwnSeries {
  record(metric: Metric, value: number, tags: Attributes): void;
  read(): readonly MetricSeries[];
}

/** The SDK's own limit of series per metric. Later sets of tags share one series, so that a faulty tag cannot fill the memory. */
const MOST_SERIES = 2000;
const OVERFLOW = { "otel.metric.overflow": true };

/**
 * Adds up measurements. The SDK would make a text in JSON of the tags of each measurement to find its series. We look it up by the values as they
 * come, and redact the tags once per series.
 */
export function ownSeries(clock: () => number): OwnSeries {
  const byMetric = new Map<Metric, ReturnType<typeof seriesOf>>();
  return {
    record(metric, value, tags) {
      // A negative value is not a measurement, except of a counter that goes up and down.
      if (!(value >= 0) && !(metric.kind === "upDownCounter" && value < 0)) return;
      let found = byMetric.get(metric);
      if (!found) {
        found = seriesOf(metric, clock);
        byMetric.set(metric, found);
      }
      add(found.find(tags), value, metric.buckets);
    },
    read: () => [...byMetric].map(([metric, { all }]) => ({ metric, series: [...all.values()] })),
  };
}

function seriesOf({ buckets = [] }: Metric, clock: () => number) {
  /** The series by the tags as they come. Different tags can be equal once they are redacted. */
  const known = new Map<string, Series>();
  const all = new Map<string, Series>();
  /** The last tags and their series, in turn. Most measurements have one of very few sets of tags. */
  const recent: { readonly tags: Attributes; readonly series: Series }[] = [];
  let oldest = 0;
  return { all, find };

  function find(tags: Attributes): Series {
    for (const each of recent) if (areSame(each.tags, tags)) return each.series;
    const series = lookUp(tags);
    recent[oldest] = { tags, series };
    oldest = (oldest + 1) % MOST_RECENT;
    return series;
  }

  function lookUp(tags: Attributes): Series {
    const key = keyOf(tags);
    const found = known.get(key);
    if (found) return found;
    const redacted = redactedTags(tags);
    const series =
      all.get(keyOf(redacted)) ?? (all.size < MOST_SERIES - 1 ? begun(redacted) : (all.get(keyOf(OVERFLOW)) ?? begun(OVERFLOW)));
    if (known.size < MOST_SERIES) known.set(key, series);
    return series;
  }

  function begun(tags: Attributes): Series {
    const zeros = Array.from({ length: buckets.length + 1 }, () => 0);
    const series = { tags, since: clock(), sum: 0, count: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, buckets: zeros };
    all.set(keyOf(tags), series);
    return series;
  }
}

const MOST_RECENT = 4;

/** Returns whether both have the same values under the same names. Texts that were made in one place are compared by their address. */
function areSame(one: Attributes, other: Attributes): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (one[name] !== other[name]) return false;
  return true;
}

function keyOf(tags: Attributes): string {
  let key = "";
  // No tag has this character in its name or value, so different tags have different keys.
  for (const name in tags) if (tags[name] !== undefined) key += `${name}\u0000${String(tags[name])}\u0000`;
  return key;
}

function add(series: Series, value: number, bounds: readonly number[] = NO_BOUNDS): void {
  series.count++;
  series.sum += value;
  if (value < series.min) series.min = value;
  if (value > series.max) series.max = value;
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
  series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
}

const NO_BOUNDS: readonly number[] = [];
