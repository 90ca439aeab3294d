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

/** A process's log: warnings and errors stand in the history, and a fault of the code itself, wherever it was caught, is an observation. */
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
    const fault = faultOf(fields);
    if (fault !== null) observe({ kind: "fault", at: clockwork.now, process: process.name, error: `${message}: ${fault}` });
    note(`${process.name} ${word}: ${message} ${JSON.stringify(fields, asText)}`);
  }
}

const FAULTS: ReadonlySet<string> = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);

/** The error that only a mistake in the code makes, if it is one. */
function faultOf(fields: object): string | null {
  const { error, code, where } = fields as { readonly error?: unknown; readonly code?: unknown; readonly where?: unknown };
  if (error instanceof Error && FAULTS.has(error.name)) return `${error.name}: ${error.message}`;
  return typeof code === "string" && FAULTS.has(code) ? `${code} ${typeof where === "string" ? where : ""}` : null;
}

function asText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
