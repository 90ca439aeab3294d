import { chmod, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { JsonlFiles } from "../jsonl-files.ts";
import { TelemetryRefused } from "../refused.ts";
import { traceparentOf } from "../trace-context.ts";

/**
 * Writes every ended span of a sampled trace as one JSON line to `<dir>/<traceId>.jsonl`. A conversation is one trace, so one file contains all the
 * work for the conversation. Throws `TelemetryRefused` if the folder cannot be written to.
 */
export async function traceFiles(dir: string, files: JsonlFiles): Promise<SpanProcessor> {
  await usable(dir);
  return {
    onStart: () => undefined,
    onEnd(span) {
      files.append(path.join(dir, `${span.spanContext().traceId}.jsonl`), spanLine(span));
    },
    forceFlush: () => files.flush(),
    shutdown: () => files.flush(),
  };
}

/** Returns a span as JSON, with OTLP's names for its fields. Kinds and statuses are words, and attributes are a plain object. */
function spanLine(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return JSON.stringify({
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    kind: SpanKind[span.kind],
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: span.attributes,
    events: span.events.map(({ name, time, attributes = {} }) => ({ name, timeUnixNano: nanoseconds(time), attributes })),
    links: span.links.map(({ context }) => ({
      traceparent: traceparentOf({ traceId: context.traceId, spanId: context.spanId, sampled: (context.traceFlags & 1) === 1 }),
    })),
    status: SpanStatusCode[span.status.code],
    service: span.resource.attributes["service.name"],
  });
}

/** Returns the time as text, because nanoseconds since 1970 exceed a JSON number. */
function nanoseconds([seconds, rest]: HrTime): string {
  return (BigInt(seconds) * 1_000_000_000n + BigInt(rest)).toString();
}

async function usable(dir: string): Promise<void> {
  const probe = path.join(dir, ".toolbus-writable");
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await (await open(probe, "w", 0o600)).close();
    await chmod(probe, 0o600);
    await rm(probe);
  } catch (error) {
    throw new TelemetryRefused(
      `Trace files cannot be written to ${dir} (${(error as NodeJS.ErrnoException).code ?? "unknown"}): let this user write there, or change TRACE_DIR.`,
    );
  }
}
