import { BusUnavailable } from "@toolbus/bus";
import { KeyRefused } from "@toolbus/grants";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { whyAlone, whyNowhere } from "./meeting-place.ts";
import { optionFault } from "./option-fault.ts";
import { RegistryConflict } from "./registry/registry.ts";
import { LimitsRefused } from "./protection/limit-settings.ts";
import { FlagsRefused } from "./registry/tool-flags.ts";
import { StampRefused } from "./rollout/registry-stamp.ts";
import { serveToolset, type ServeOptions } from "./serve-toolset.ts";
import type { Toolset } from "./tool/toolset.ts";
import { unknownField } from "./unknown-field.ts";
import type { Worker } from "./worker.ts";

/**
 * Serves a toolset as the only work of this process. Resolves when calls may arrive. If the worker cannot start for a reason that a person can fix, it
 * prints one sentence on standard error and ends the process with 1, as the services do. Such a reason is also a bus or a store that only this process
 * can use, an unknown option, or a toolset without tools. Rejects with any other error, so that Node prints its stack.
 */
export async function runToolset(toolset: Toolset, options: ServeOptions): Promise<Worker> {
  const unknown = unknownField(options, OPTIONS);
  if (unknown !== null) end(`The toolset "${toolset.name}" cannot be served, because its call of runToolset ${unknown}`);
  if (toolset.list().length === 0 && toolset.longestTimeoutMs === 0)
    end(`The toolset "${toolset.name}" has no tools: pass at least one in "tools".`);
  const nowhere = whyNowhere(options) ?? optionFault(options);
  if (nowhere !== null) end(`The toolset "${toolset.name}" cannot be served, because ${nowhere}`);
  const alone = whyAlone(options);
  if (alone !== null) end(`The toolset "${toolset.name}" has a process of its own, and ${alone}`);
  try {
    return await serveToolset(toolset, options);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    end(error.message);
  }
}

/** The compiler keeps this list complete. An author in JavaScript has no compiler. */
const OPTIONS = Object.keys({
  busUrl: true,
  stateUrl: true,
  durability: true,
  signal: true,
  jwksFile: true,
  jwksUrl: true,
  receiptKeyFile: true,
  concurrency: true,
  environment: true,
  flags: true,
  flagsFile: true,
  limits: true,
  clockSkewWarnMs: true,
  logLevel: true,
  goldenCalls: true,
  stampFile: true,
} satisfies Record<keyof ServeOptions, true>);

function end(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  // Without this exit, the caller would continue as if its tools were served.
  process.exit(1);
}

function isRefusal(error: unknown): error is Error {
  return (
    error instanceof KeyRefused ||
    error instanceof FlagsRefused ||
    error instanceof LimitsRefused ||
    error instanceof RegistryConflict ||
    error instanceof StampRefused ||
    error instanceof StoreRefused ||
    error instanceof StoreUnavailable ||
    error instanceof BusUnavailable
  );
}
