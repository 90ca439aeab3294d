import type { WriteStream } from "node:tty";
import { pino } from "pino";
import { type LogFormat, readableLine } from "./readable-line.ts";
import { recorder } from "./recorder.ts";
import { redactText } from "./redact.ts";
import { withRunOf } from "./run-of-line.ts";
import { currentPoint } from "./spans.ts";

/**
 * A structured log. Fields contain ids, counts and codes, but never arguments, contents or secrets. A line within a trace names the trace. A line
 * about a call has the id of its run.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// This is a second safeguard, for a secret that a caller puts into a record by mistake.
const SECRET_FIELDS = ["authorization", "token", "secret", "grant", "password", "apiKey", "cookie", "arguments", "content", "prepared"];

export interface LogOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** The form of the lines. `auto` is the default, and means text at a terminal and JSON elsewhere. */
  readonly format?: LogFormat;
  readonly destination?: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "hasColors">>;
}

/**
 * Returns a log that writes each record as one line to standard error, because standard output belongs to the results of a command. It also sends the
 * record to OTLP while the export of logs is on.
 */
export function createLog({ name, level, format = "auto", destination = process.stderr }: LogOptions): Log {
  const readable = format === "text" || (format === "auto" && destination.isTTY === true);
  // `hasColors` considers NO_COLOR, FORCE_COLOR and the abilities of the terminal.
  const colour = destination.isTTY === true && destination.hasColors?.() === true;
  return pino(
    {
      level,
      base: { name },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
      mixin: traceFields,
      formatters: { log: (fields) => withRunOf(fields) },
      onChild: (child) => {
        const { runId } = withRunOf(child.bindings());
        if (runId !== undefined && child.bindings()["runId"] === undefined) child.setBindings({ runId });
      },
      hooks: {
        logMethod(args, method) {
          method.apply(this, withoutBound(args, this) as typeof args);
        },
        streamWrite: readable ? (line) => readableLine(redactedLine(line), colour) : redactedLine,
      },
      serializers: { error: (error) => errorFields(error), err: (error) => errorFields(error) },
    },
    destination,
  );
}

/** The fields of the logs that have written a line. They do not change, and reading them from pino costs more than the rest of the line. */
const boundFields = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** Leaves out the fields that the log itself has with the same value. Pino would write them twice, and not every reader takes a JSON key twice. */
function withoutBound(args: readonly unknown[], log: { bindings(): Record<string, unknown> }): readonly unknown[] {
  const [fields, ...rest] = args;
  if (typeof fields !== "object" || fields === null || fields instanceof Error) return args;
  const bound = boundFields.get(log) ?? log.bindings();
  boundFields.set(log, bound);
  const entries = Object.entries(fields);
  const own = entries.filter(([name, value]) => !Object.hasOwn(bound, name) || bound[name] !== value);
  return own.length === entries.length ? args : [Object.fromEntries(own), ...rest];
}

/** A log that drops everything, for tests and for libraries without a log. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLog };

function ignore(): void {}

function traceFields(): object {
  const point = currentPoint();
  return point ? { trace_id: point.traceId, span_id: point.spanId } : {};
}

/** Redacts the line before it leaves the process. OTLP receives the fields of this redacted line. */
function redactedLine(line: string): string {
  const safe = redactText(line);
  const { logs } = recorder();
  if (logs) {
    const { time, level, msg, trace_id: _trace, span_id: _span, ...fields } = JSON.parse(safe) as Line;
    logs.emit({ time, level, message: msg, fields, point: currentPoint() });
  }
  return safe;
}

/** A line in pino's form. */
interface Line extends Readonly<Record<string, unknown>> {
  readonly time: number;
  readonly level: number;
  readonly msg: string;
}

/** The number of causes that are shown. A chain of causes may be a cycle. */
const CAUSES = 4;

function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const because = cause === undefined || depth >= CAUSES ? {} : { cause: errorFields(cause, depth + 1) };
  return { name, message, code: (error as { code?: unknown }).code, stack, ...because };
}
