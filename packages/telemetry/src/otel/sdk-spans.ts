import {
  context,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  TraceFlags,
} from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { attributesOf } from "../attribute-pairs.ts";
import type { RecordedSpan, Recorder, SpanStart } from "../recorder.ts";
import type { TracePoint } from "../trace-context.ts";
import { SCOPE } from "./scope.ts";

export const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Starts spans through a tracer of the SDK. */
export function sdkSpans(tracer: Tracer): NonNullable<Recorder["spans"]> {
  return {
    start(name, { kind, shared, attributes, parent, received, links }: SpanStart): RecordedSpan {
      const above = (received ? contextOfArrival(parent) : null) ?? contextOf(parent);
      const all = attributesOf([...shared, ...attributes]);
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: all, links: links.map(linkTo) }, above);
      const own = span.spanContext();
      return {
        point: {
          traceId: own.traceId,
          spanId: own.spanId,
          sampled: (own.traceFlags & TraceFlags.SAMPLED) !== 0,
          tracestate: own.traceState?.serialize() || undefined,
          baggage: parent?.baggage,
        },
        recording: span.isRecording(),
        rename: (other) => void span.updateName(other),
        share: (more) => void span.setAttributes(attributesOf(more)),
        set: (more) => void span.setAttributes(attributesOf(more)),
        event: (event, more) => void span.addEvent(event, attributesOf(more)),
        run: (work) => context.with(trace.setSpan(context.active(), span), work),
        // The description is omitted, because an error message may quote anything.
        fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
        end: () => span.end(),
      };
    },
  };
}

/** Returns the SDK's form of a position in a trace. */
export function contextOf(point: TracePoint | null): Context {
  return point ? trace.setSpanContext(ROOT_CONTEXT, spanContext(point)) : ROOT_CONTEXT;
}

/** Returns the context of `spanOfArrival` for the active span. */
function contextOfArrival(parent: TracePoint | null): Context | null {
  return spanOfArrival(trace.getSpan(context.active()), parent) ? context.active() : null;
}

/**
 * Returns the active span if another instrumentation (of Node's HTTP server, of amqplib) created it for the same request or message. Returns null if
 * not. Our span belongs beneath that span, not beside it.
 */
export function spanOfArrival(active: ActiveSpan | undefined, parent: TracePoint | null): Span | null {
  if (!active || active.instrumentationScope === undefined || active.instrumentationScope.name === SCOPE) return null;
  if (active.kind !== SpanKind.SERVER && active.kind !== SpanKind.CONSUMER) return null;
  return active.parentSpanContext?.spanId === parent?.spanId ? active : null;
}

type ActiveSpan = Span & Partial<Pick<ReadableSpan, "kind" | "parentSpanContext" | "instrumentationScope">>;

export function linkTo(point: TracePoint): Link {
  return { context: spanContext(point) };
}

/** Returns the API's form of a position in a trace. */
export function spanContext({ traceId, spanId, sampled, tracestate }: TracePoint, isRemote = true): SpanContext {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  if (tracestate === undefined) return { traceId, spanId, traceFlags, isRemote };
  return { traceId, spanId, traceFlags, isRemote, traceState: new TraceState(tracestate) };
}
