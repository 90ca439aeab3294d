import { pino } from "pino";

/** A structured log. Fields hold ids, counts and codes, never arguments, contents or secrets. */
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
// A line is JSON: the word before may be an escape such as \n, whose last letter belongs to no word.
const SECRET_TEXT =
  /(?:\b|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))(?:[Bb][Ee][Aa][Rr][Ee][Rr]\s+[\w.~+/=-]{8,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}|tb_[a-z]+_[\w-]{16,}|sk-[\w-]{16,})/g;

/** A logger that writes JSON lines to standard error (standard output belongs to what a command prints). */
export function createLog(options: { readonly name: string; readonly level: LogLevel; readonly destination?: NodeJS.WritableStream }): Log {
  return pino(
    {
      level: options.level,
      base: { name: options.name },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
      hooks: { streamWrite: (line: string) => line.replace(SECRET_TEXT, "[redacted]") },
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

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return { name: error.name, message: error.message, code: (error as { code?: unknown }).code, stack: error.stack };
}
