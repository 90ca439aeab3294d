import type { Log } from "@toolbus/telemetry";
import type { Ran } from "./run-within.ts";

/** The part of a tool that threw. */
export type HandlerPart = "run" | "prepare" | "reconcile" | "plan";

/**
 * Logs the error that a handler threw, with its stack and its causes. The worker's operator needs these details, because the model and the requester
 * see only one sentence. A `ToolProblem` is deliberate, and is not logged here.
 */
export function logThrown<T>(
  ran: Ran<T>,
  part: HandlerPart,
  { callId, toolName }: { readonly callId: string; readonly toolName: string },
  log: Log,
): Ran<T> {
  if (ran.kind === "threw") log.error({ callId, tool: toolName, part, error: ran.error }, "a tool's handler threw");
  return ran;
}

/** Logs why the value that a handler returned is not JSON, such as a BigInt or a cycle. The model and the requester do not see the reason. */
export function logNotJson(
  error: unknown,
  part: HandlerPart,
  { callId, toolName }: { readonly callId: string; readonly toolName: string },
  log: Log,
): void {
  log.error({ callId, tool: toolName, part, error }, "a tool's handler returned a value that is not JSON");
}

/** Logs that a handler returned nothing, which mostly is a forgotten `return`. The call still succeeds, because the work may be done. */
export function logNothing(
  value: unknown,
  part: HandlerPart,
  { callId, toolName }: { readonly callId: string; readonly toolName: string },
  log: Log,
): void {
  if (value !== undefined && typeof value !== "function" && typeof value !== "symbol" && !Number.isNaN(value)) return;
  log.warn({ callId, tool: toolName, part }, "a tool's handler returned nothing that JSON has, so the model reads null");
}
