/** What the SDK has to do itself, because somebody set a variable of its own that our faster way does not know. */
export interface LeftToSdk {
  /** True if one of the SDK's limits of spans is set. */
  readonly spanLimits: boolean;
  /** True if metrics are to be added up in another way than by default. */
  readonly otherMetrics: boolean;
}

export function leftToSdk(env: Readonly<Record<string, string | undefined>>): LeftToSdk {
  const isSet = (names: RegExp): boolean => Object.entries(env).some(([name, value = ""]) => names.test(name) && value.trim() !== "");
  return { spanLimits: isSet(SPAN_LIMIT), otherMetrics: isSet(METRIC_FORM) };
}

const SPAN_LIMIT = /^OTEL_(?:SPAN|EVENT|LINK|ATTRIBUTE)_\w+_LIMIT$/;
const METRIC_FORM = /^OTEL_EXPORTER_OTLP_METRICS_(?:TEMPORALITY_PREFERENCE|DEFAULT_HISTOGRAM_AGGREGATION)$/;
