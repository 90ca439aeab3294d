import { pino } from "pino";
import { recorder } from "./recorder.ts";
import { redactText } from "./redact.ts";
import { currentPoint } from "./spans.ts";

/** A structured log. Fields hold ids, counts and codes, never arguments, contents or secrets. A line within a trace says which. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// The second net: whatever a caller puts into a record by mistake.
const SECRET_FIELDS = ["authorization", "token", "secret", "grant", "password", "apiKey", "cookie", "arguments", "content", "prepared"];

/** A logger that writes JSON lines to standard error (standard output belongs to what a command prints), and to OTLP while that is on. */
export function createLog(options: { readonly name: string; readonly level: LogLevel; readonly destination?: NodeJS.WritableStream }): Log {
  return pino(
    {
      level: options.level,
      base: { name: options.name },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
      mixin: traceFields,
      hooks: { streamWrite: redactedLine },
      serializers: { error: errorFields, err: errorFields },
    },
    options.destination ?? process.stderr,
  );
}

/** A log that keeps nothing: for tests and libraries without one. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLog };

function ignore(): void {
  // nothing is kept
}

function traceFields(): object {
  const point = currentPoint();
  return point ? { trace_id: point.traceId, span_id: point.spanId } : {};
}

/** The line as it may leave the process. What goes to OTLP is read from it, so that both are redacted the same. */
function redactedLine(line: string): string {
  const safe = redactText(line);
  const { logs } = recorder();
  if (logs) {
    const { time, level, msg, trace_id: _trace, span_id: _span, ...fields } = JSON.parse(safe) as Line;
    logs.emit({ time, level, message: msg, fields, point: currentPoint() });
  }
  return safe;
}

/** A line as pino writes it. */
interface Line extends Readonly<Record<string, unknown>> {
  readonly time: number;
  readonly level: number;
  readonly msg: string;
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return { name: error.name, message: error.message, code: (error as { code?: unknown }).code, stack: error.stack };
}
