import type { AttributePairs, Attributes } from "./attribute-pairs.ts";
import type { Metric } from "./names.ts";
import type { ToolAudit } from "./tool-audit.ts";
import type { TracePoint } from "./trace-context.ts";

export type { Attributes };

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

export interface SpanStart {
  readonly kind: SpanKind;
  /** Attributes that many spans share, as one list for all of them. */
  readonly shared: AttributePairs;
  /** Further attributes, whose names are not in the shared list. */
  readonly attributes: AttributePairs;
  readonly parent: TracePoint | null;
  /**
   * True if `parent` was read from a request or a message, even if nothing was found there. If another instrumentation has begun a span for this
   * arrival, the new span goes beneath that span.
   */
  readonly received: boolean;
  readonly links: readonly TracePoint[];
}

/** A started span. Every text that it receives is already redacted. */
export interface RecordedSpan {
  /** The span's position. It has the parent's state of other vendors and the caller's baggage, which are passed on. */
  readonly point: TracePoint;
  readonly recording: boolean;
  /** Gives the span another name, when it is known what the work is. */
  rename(name: string): void;
  /** Adds attributes that many spans share, as one list for all of them. The names may be present already. */
  share(attributes: AttributePairs): void;
  set(attributes: AttributePairs): void;
  event(name: string, attributes: AttributePairs): void;
  /**
   * Runs work with this span as the active one. The span is also active for other users of OpenTelemetry in this process: instrumentations and tools.
   */
  run<T>(work: () => T): T;
  /** Marks the span as failed. */
  fail(): void;
  end(): void;
}

/** One redacted line of a log. */
export interface LogRecord {
  /** The time in milliseconds since 1970. */
  readonly time: number;
  /** The level by pino's numbers: 20 debug, 30 info, 40 warn, 50 error. */
  readonly level: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly point: TracePoint | null;
}

/**
 * Receives telemetry while it is on. There is one recorder per process, as in OpenTelemetry, because a span belongs to the running code and not to an
 * object that is passed around. No method throws or waits.
 */
export interface Recorder {
  readonly spans: { start(name: string, options: SpanStart): RecordedSpan } | null;
  readonly measurements: {
    /** Redacts the attributes itself, because it may have to do so only once for many measurements. */
    record(metric: Metric, value: number, attributes: Attributes): void;
    /** Calls `read` whenever measurements are collected. Returns a function that stops this. */
    observe(metric: Metric, read: () => Promise<number | null>, attributes: Attributes): () => void;
  } | null;
  readonly logs: { emit(record: LogRecord): void } | null;
  readonly audit: ToolAudit | null;
}

const OFF: Recorder = { spans: null, measurements: null, logs: null, audit: null };

let current = OFF;

/** Returns the recorder of this process. All its parts are null while telemetry is off. */
export function recorder(): Recorder {
  return current;
}

/** Replaces the recorder. Null switches telemetry off. */
export function setRecorder(next: Recorder | null): void {
  current = next ?? OFF;
}
