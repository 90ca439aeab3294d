import { type Call, EVENT_CONTENT_CHARS, type ToolResult, withWrite } from "@toolbus/contracts";
import type { Draft } from "./draft.ts";
import { FOLLOW_FIRST_MS } from "./follow.ts";
import { endQuestions } from "./note-questions.ts";
import { withdrawRequest } from "./request-grant.ts";
import { resolvedCall, writeOf } from "./resolved-call.ts";
import { taintedBy } from "./taint.ts";

/** Ends a call with its one result. Withdraws a request that waits for an approver. */
export function endCall(draft: Draft, call: Call, result: ToolResult): void {
  withdrawRequest(draft, call);
  endQuestions(draft, call);
  // The shown text belongs to the call's long result. If another result ends the call, the text is not used.
  const shown = result.contentRef ? draft.shownOf(call.callId) : undefined;
  const resolved = resolvedCall(call, result, shown, draft.now);
  draft.endedCall(resolved);
  draft.callTimer(call.callId, resolved.followUntil === undefined ? null : FOLLOW_FIRST_MS);
  draft.setRun({
    pending: draft.run.pending - 1,
    calls: draft.run.calls.map((open) => (open.callId === call.callId ? { ...open, resolved: true } : open)),
    usage: { ...draft.run.usage, toolCalls: draft.run.usage.toolCalls + 1 },
    ...taintedBy(draft.run, call, result),
    ...(call.kind === "write" ? { writes: withWrite(draft.run.writes, writeOf(call, result)) } : {}),
  });
  draft.event({
    type: "call.resolved",
    at: draft.now,
    callId: call.callId,
    tool: call.toolName,
    status: result.status,
    latencyMs: result.metadata?.latencyMs ?? 0,
    content: result.content.slice(0, EVENT_CONTENT_CHARS),
    ...(result.media === undefined ? {} : { media: result.media }),
    usage: draft.run.usage,
  });
}
