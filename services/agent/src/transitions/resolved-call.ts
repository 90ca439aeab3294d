import type { Call, RunWrite, ShownResult, StoredEntry, ToolResult } from "@toolbus/contracts";
import { shortened } from "./bounded-text.ts";
import { indexKeyOf } from "../memory/working-keys.ts";

/** A call that has its one result. What it needed while it was open is gone. */
export function resolvedCall(call: Call, result: ToolResult, shown: ShownResult | undefined, now: number): Call {
  const { grant: _, heldSince: __, unservedSince: ___, ...rest } = call;
  return { ...rest, state: "resolved", heldMs: heldMs(call, now), result, ...(shown ? { shown } : {}), resolvedAt: now };
}

/** How long a call has waited so far for people, or for a worker where none lived. In milliseconds. */
export function heldMs({ heldMs: before, heldSince, unservedSince }: Call, now: number): number {
  const since = heldSince ?? unservedSince;
  return before + (since === undefined ? 0 : Math.max(0, now - since));
}

/** The call as its document keeps it: large arguments and a large result do not fit together, and the transcript has the arguments. */
export function storedCall(resolved: Call): Call {
  const { arguments: args, result, shown } = resolved;
  const large = Buffer.byteLength(JSON.stringify([args, result?.content, shown])) > MOST_TOGETHER_BYTES;
  return large ? { ...resolved, arguments: "" } : resolved;
}

/** Some room below the 64 KiB of a document. */
const MOST_TOGETHER_BYTES = 56 * 1024;

// A run lists twenty writes, and it is one document of 64 KiB.
const NOTED_EFFECT_BYTES = 120;

/** What the run's record says of a write. */
export function writeOf({ callId, toolName: tool, approvalId, approvedBy, effect }: Call, { status, error }: ToolResult): RunWrite {
  return {
    callId,
    tool,
    status,
    ...(error ? { code: error.code } : {}),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(effect === undefined ? {} : { effect: shortened(effect, NOTED_EFFECT_BYTES) }),
  };
}

/** What the transcript says of a call when its round ends. */
export function resultEntry(call: Call): StoredEntry {
  const { runId, round, transcriptId: id, callId, toolName: name, result, shown, resolvedAt } = call;
  if (!result) throw new Error(`Call ${callId} has no result when its round ends.`);
  return {
    type: "result",
    runId,
    round,
    id,
    callId,
    name,
    status: result.status,
    ...heldContent(shown ?? result),
    isError: result.isError,
    at: resolvedAt ?? 0,
    ...(shown?.index === undefined ? {} : { indexKey: indexKeyOf(call) }),
  };
}

function heldContent({ content, contentRef }: ShownResult | ToolResult): Pick<ToolResult, "content" | "contentRef"> {
  return { content, ...(contentRef === undefined ? {} : { contentRef }) };
}
