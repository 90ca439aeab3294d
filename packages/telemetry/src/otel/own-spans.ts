import { type Context, type Link, ROOT_CONTEXT, SamplingDecision, trace } from "@opentelemetry/api";
import { TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { RecordedSpan, Recorder, SpanStart } from "../recorder.ts";
import type { SamplerSettings } from "../settings.ts";
import type { TracePoint } from "../trace-context.ts";
import { foreignContext } from "./own-context.ts";
import { OwnSpan, type OwnSpanHome } from "./own-span.ts";
import { KINDS, linkTo, spanOfArrival } from "./sdk-spans.ts";
import type { SpanIds } from "./span-ids.ts";

export interface OwnSpansOptions extends OwnSpanHome {
  readonly sampler: SamplerSettings;
  readonly ids: SpanIds;
}

/** Starts spans of ours without the SDK's tracer, with the same parents, sampling and processors as the SDK's. */
export function ownSpans(options: OwnSpansOptions): NonNullable<Recorder["spans"]> {
  const { ids } = options;
  const { root, ratio, parentBased } = options.sampler;
  const byRatio = new TraceIdRatioBasedSampler(ratio);
  return {
    start(name, { kind, shared, attributes, parent, received, links }: SpanStart): RecordedSpan {
      const above = (received ? pointOfArrival(parent) : null) ?? parent;
      const traceId = above?.traceId ?? ids.trace();
      const point: TracePoint = {
        traceId,
        spanId: ids.span(),
        sampled: above && parentBased ? above.sampled : sampledAtRoot(traceId),
        tracestate: above?.tracestate,
        baggage: parent?.baggage,
      };
      const linked = links.length === 0 ? NO_LINKS : links.map(linkTo);
      return new OwnSpan(options, name, KINDS[kind], point, above, shared, attributes, linked);
    },
  };

  function sampledAtRoot(traceId: string): boolean {
    if (root !== "traceidratio") return root === "always_on";
    return byRatio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  }
}

const NO_LINKS: Link[] = [];

/** Returns the position of another instrumentation's span for the same request or message, if somebody has made one active. */
function pointOfArrival(parent: TracePoint | null): TracePoint | null {
  const context: Context | undefined = foreignContext();
  const span = context && spanOfArrival(trace.getSpan(context), parent);
  if (!span) return null;
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return { traceId, spanId, sampled: (traceFlags & 1) !== 0, tracestate: traceState?.serialize() || undefined };
}
