import type { Log } from "@toolbus/telemetry";
import type { Ran } from "./run-within.ts";

/** Which part of a tool threw. */
export type HandlerPart = "run" | "prepare" | "reconcile";

/**
 * Logs what a handler threw, with its stack and its causes: the worker's operator needs them, while model and person get only a sentence. A `ToolProblem`
 * is deliberate, and is not logged here.
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
