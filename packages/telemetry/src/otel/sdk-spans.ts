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
import type { Attributes, RecordedSpan, Recorder, SpanStart } from "../recorder.ts";
import type { TracePoint } from "../trace-context.ts";
import { SCOPE } from "./scope.ts";

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Starts spans through a tracer of the SDK. */
export function sdkSpans(tracer: Tracer): NonNullable<Recorder["spans"]> {
  return {
    start(name, { kind, attributes, parent, received, links }: SpanStart): RecordedSpan {
      const above = (received ? contextOfArrival(parent) : null) ?? contextOf(parent);
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes }, links: links.map(linkTo) }, above);
      const own = span.spanContext();
      return {
        point: {
          traceId: own.traceId,
          spanId: own.spanId,
          sampled: (own.traceFlags & TraceFlags.SAMPLED) !== 0,
          tracestate: own.traceState?.serialize() || undefined,
        },
        recording: span.isRecording(),
        set: (more: Attributes) => void span.setAttributes({ ...more }),
        event: (event, more) => void span.addEvent(event, { ...more }),
        run: (work) => context.with(trace.setSpan(context.active(), span), work),
        end(errorType) {
          // The description is omitted, because an error message may quote anything.
          if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

/** Returns the SDK's form of a position in a trace. */
export function contextOf(point: TracePoint | null): Context {
  return point ? trace.setSpanContext(ROOT_CONTEXT, spanContext(point)) : ROOT_CONTEXT;
}

/**
 * Returns the context of a span that another instrumentation (of Node's HTTP server, of amqplib) created for the same request or message. Returns
 * null if there is none. Our span belongs beneath that span, not beside it.
 */
function contextOfArrival(parent: TracePoint | null): Context | null {
  const active: (Span & Partial<Pick<ReadableSpan, "kind" | "parentSpanContext" | "instrumentationScope">>) | undefined = trace.getSpan(
    context.active(),
  );
  if (!active || active.instrumentationScope === undefined || active.instrumentationScope.name === SCOPE) return null;
  if (active.kind !== SpanKind.SERVER && active.kind !== SpanKind.CONSUMER) return null;
  return active.parentSpanContext?.spanId === parent?.spanId ? context.active() : null;
}

function linkTo(point: TracePoint): Link {
  return { context: spanContext(point) };
}

function spanContext({ traceId, spanId, sampled, tracestate }: TracePoint): SpanContext {
  return {
    traceId,
    spanId,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: new TraceState(tracestate) }),
  };
}
