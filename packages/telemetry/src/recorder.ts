import type { Metric } from "./names.ts";
import type { ToolAudit } from "./tool-audit.ts";
import type { TracePoint } from "./trace-context.ts";

/** Values of attributes. Undefined ones are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

export interface SpanStart {
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly parent: TracePoint | null;
  /** `parent` came with a request or a message; null means the start of a trace. */
  readonly received: boolean;
  readonly links: readonly TracePoint[];
}

/** A started span. Every text that it receives is already redacted. */
export interface RecordedSpan {
  readonly point: TracePoint;
  readonly recording: boolean;
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** Runs work with this span as the active one, also for other recorders in this process: instrumentations, and tools that call OpenTelemetry. */
  run<T>(work: () => T): T;
  /** Ends the span. An error type marks it as failed. */
  end(errorType?: string): void;
}

/** One line of a log, redacted. */
export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** As pino numbers them: 20 debug, 30 info, 40 warn, 50 error. */
  readonly level: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly point: TracePoint | null;
}

/**
 * Where telemetry goes while it is on. There is one per process, as in OpenTelemetry: a span belongs to the running code, not to an object that is
 * passed around. Nothing here throws or waits.
 */
export interface Recorder {
  readonly spans: { start(name: string, options: SpanStart): RecordedSpan } | null;
  readonly measurements: {
    record(metric: Metric, value: number, attributes: Attributes): void;
    /** Calls `read` whenever measurements are collected. The returned function ends that. */
    observe(metric: Metric, read: () => Promise<number | null>): () => void;
  } | null;
  readonly logs: { emit(record: LogRecord): void } | null;
  readonly audit: ToolAudit | null;
}

const OFF: Recorder = { spans: null, measurements: null, logs: null, audit: null };

let current = OFF;

/** The recorder of this process. All its parts are null while telemetry is off. */
export function recorder(): Recorder {
  return current;
}

/** Replaces the recorder; null switches telemetry off. */
export function setRecorder(next: Recorder | null): void {
  current = next ?? OFF;
}
