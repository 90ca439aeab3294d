import type { Call, RunWrite, ShownResult, StoredEntry, ToolResult } from "@toolbus/contracts";
import { shortened } from "./bounded-text.ts";
import { indexKeyOf } from "../memory/working-keys.ts";

/** Returns a call with its one result, without the data that only an open call needs. */
export function resolvedCall(call: Call, result: ToolResult, shown: ShownResult | undefined, now: number): Call {
  const { grant: _, heldSince: __, unservedSince: ___, questions: ____, ...rest } = call;
  return { ...rest, state: "resolved", heldMs: heldMs(call, now), result, ...(shown ? { shown } : {}), resolvedAt: now };
}

/**
 * Returns a write with the receipt of its result, which proves the result to people later. The receipt of a read is never verified, so it is not
 * kept.
 */
export function withReceipt(call: Call, { receipt }: { readonly receipt?: string | undefined }): Call {
  return receipt === undefined || call.kind !== "write" ? call : { ...call, receipt };
}

/** Returns how long a call has waited so far for people, or for a worker while none was alive, in milliseconds. */
export function heldMs({ heldMs: before, heldSince, unservedSince }: Call, now: number): number {
  const since = heldSince ?? unservedSince;
  return before + (since === undefined ? 0 : Math.max(0, now - since));
}

/**
 * Returns the call as its document stores it. If large arguments and a large result do not fit together, the arguments are left out, because the
 * transcript has them. If an approver changed the arguments, the original ones are left out first.
 */
export function storedCall(resolved: Call): Call {
  const { asked, ...rest } = resolved;
  const { arguments: args, result, shown } = resolved;
  // No code unit takes more than six bytes of JSON, and most calls are so small that nothing has to be counted.
  if (!shown && !asked && (args.length + (result?.content.length ?? 0)) * 6 <= MOST_TOGETHER_BYTES) return resolved;
  const bytes = (...texts: readonly unknown[]): number => Buffer.byteLength(JSON.stringify([result?.content, shown, ...texts]));
  if (bytes(args, asked) <= MOST_TOGETHER_BYTES) return resolved;
  const briefly = asked === undefined ? {} : { asked: { ...asked, arguments: "" } };
  return bytes(args, briefly) <= MOST_TOGETHER_BYTES ? { ...rest, ...briefly } : { ...rest, ...briefly, arguments: "" };
}

/** The limit leaves some room below the 64 KiB of a document. */
const MOST_TOGETHER_BYTES = 56 * 1024;

// A run is one document of at most 64 KiB and lists up to twenty writes, so each effect is short.
const NOTED_EFFECT_BYTES = 120;

/** Returns the entry of a write in the run's record. */
export function writeOf({ callId, toolName: tool, approvalId, approvedBy, effect, asked }: Call, { status, error }: ToolResult): RunWrite {
  return {
    callId,
    tool,
    status,
    ...(error ? { code: error.code } : {}),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(effect === undefined ? {} : { effect: shortened(effect, NOTED_EFFECT_BYTES) }),
    ...(asked === undefined ? {} : { edited: true }),
  };
}

/** Returns the transcript's entry for a call when its round ends. */
export function resultEntry(call: Call): StoredEntry {
  const { runId, round, transcriptId: id, callId, toolName, via: name = toolName, result, shown, resolvedAt, asked } = call;
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
    ...(asked === undefined ? {} : { edited: asked.changes }),
  };
}

function heldContent({ content, contentRef }: ShownResult | ToolResult): Pick<ToolResult, "content" | "contentRef"> {
  return { content, ...(contentRef === undefined ? {} : { contentRef }) };
}
