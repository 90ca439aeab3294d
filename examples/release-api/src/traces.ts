import { parseJson, readBounded } from "@toolbus/release-facts/measurements";
import { type Span, spansOf } from "./otlp-spans.ts";

/** The figures of one operation: all spans with the same service and name. */
export interface Operation {
  readonly service: string;
  readonly name: string;
  readonly count: number;
  readonly errors: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly max_ms: number;
}

/** One trace with its root, or with its first span if the root is missing. */
export interface Trace {
  readonly trace_id: string;
  readonly service: string;
  readonly name: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly spans: number;
  readonly errors: number;
  /** The first spans that failed, with what they said. */
  readonly failed?: readonly { readonly service: string; readonly name: string; readonly message?: string }[];
}

export interface Traces {
  readonly spans: number;
  readonly errors: number;
  /** Operations with errors first, then the slowest. */
  readonly operations: readonly Operation[];
  /** Traces with errors first, then the slowest. */
  readonly traces: readonly Trace[];
}

const MAX_BYTES = 32 * 1024 * 1024;
const MOST_SPANS = 200_000;
const MOST_FAILED = 5;

/**
 * Reads a file of OTLP/JSON of at most 32 MiB and 200,000 spans: one document, or one document in each line, as the collector's file exporter writes
 * it. A file that is torn or has another form is refused with one sentence.
 */
export async function readTraces(
  file: string,
): Promise<{ readonly ok: true; readonly traces: Traces } | { readonly ok: false; readonly message: string }> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  const whole = parseJson(read.text);
  const lines = whole.ok ? [] : read.text.split("\n");
  const documents: unknown[] = whole.ok ? [whole.value] : [];
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const one = parseJson(text);
    if (!one.ok) return { ok: false, message: `${file} is not JSON${lines.length > 1 ? ` in line ${index + 1}` : ""}.` };
    documents.push(one.value);
  }
  const spans: Span[] = [];
  for (const document of documents) {
    const found = spansOf(document);
    if (typeof found === "string") return { ok: false, message: `${file} ${found}` };
    if (spans.length + found.length > MOST_SPANS)
      return { ok: false, message: `${file} has more than ${MOST_SPANS} spans, which is too much to read.` };
    for (const span of found) spans.push(span);
  }
  if (spans.length === 0) return { ok: false, message: `${file} has no span.` };
  return { ok: true, traces: tracesOf(spans) };
}

export function tracesOf(spans: readonly Span[]): Traces {
  return {
    spans: spans.length,
    errors: spans.filter(({ failed }) => failed).length,
    operations: [...Map.groupBy(spans, ({ service, name }) => JSON.stringify([service, name])).values()]
      .map(operationOf)
      .toSorted((a, b) => b.errors - a.errors || b.p95_ms - a.p95_ms),
    traces: [...Map.groupBy(spans, ({ traceId }) => traceId).values()]
      .map(traceOf)
      .toSorted((a, b) => b.errors - a.errors || b.duration_ms - a.duration_ms),
  };
}

function operationOf(spans: readonly Span[]): Operation {
  const times = spans.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
  return {
    service: spans[0]?.service ?? "",
    name: spans[0]?.name ?? "",
    count: spans.length,
    errors: spans.filter(({ failed }) => failed).length,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    max_ms: at(1),
  };
}

function traceOf(spans: readonly Span[]): Trace {
  const ids = new Set(spans.map(({ id }) => id));
  const first = spans.toSorted((a, b) => a.start - b.start);
  const root = first.find(({ parent }) => parent === "" || !ids.has(parent)) ?? first[0];
  const failed = first.filter((span) => span.failed);
  return {
    trace_id: root?.traceId ?? "",
    service: root?.service ?? "",
    name: root?.name ?? "",
    started_at: new Date(root?.start ?? 0).toISOString(),
    duration_ms: root?.ms ?? 0,
    spans: spans.length,
    errors: failed.length,
    ...(failed.length === 0
      ? {}
      : { failed: failed.slice(0, MOST_FAILED).map(({ service, name, message }) => ({ service, name, ...(message ? { message } : {}) })) }),
  };
}
