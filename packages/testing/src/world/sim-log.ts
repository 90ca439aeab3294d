import type { Log } from "@toolbus/telemetry";
import type { Clockwork } from "../clockwork/clockwork.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Observe } from "../ports/observation.ts";

export interface SimLogOptions {
  readonly process: SimProcess;
  readonly clockwork: Clockwork;
  readonly observe: Observe;
  readonly note: (text: string) => void;
}

/**
 * Makes a process's log. It adds warnings and errors to the history. It reports an error that only a bug can cause as an observation, wherever the
 * error was caught.
 */
export function simLog({ process, clockwork, observe, note }: SimLogOptions): Log {
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) => line("warns", fields, message),
    error: (fields, message) => line("reports", fields, message),
    child: () => log,
  };
  return log;

  function line(word: string, fields: object, message: string): void {
    const fault = faultOf(fields, word === "reports");
    if (fault !== null) observe({ kind: "fault", at: clockwork.now, process: process.name, error: `${message}: ${fault}` });
    note(`${process.name} ${word}: ${message} ${JSON.stringify(fields, asText)}`);
  }
}

/** The errors that a simulated world may cause: a port is unavailable, the model failed, a deadline has passed. */
const EXPECTED: ReadonlySet<string> = new Set([
  "StoreUnavailable",
  "BusUnavailable",
  "Unroutable",
  "ProviderError",
  "NetworkError",
  "TimeoutError",
  "store_unavailable",
  "bus_unavailable",
  "unroutable",
  "deadline",
]);

/** Returns an error that nothing in this world causes, so it is a bug. Returns null for other errors. The codes of warnings are not errors. */
function faultOf(fields: object, isError: boolean): string | null {
  const { error, code, where } = fields as { readonly error?: unknown; readonly code?: unknown; readonly where?: unknown };
  if (error instanceof Error) return EXPECTED.has(error.name) ? null : `${error.name}: ${error.message}`;
  const isFault = isError && typeof code === "string" && !EXPECTED.has(code);
  return isFault ? `${code} ${typeof where === "string" ? where : ""}`.trimEnd() : null;
}

function asText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
