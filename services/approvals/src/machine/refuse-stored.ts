import { type Approval, approvalCallId, callParts, DEFAULT_AGENT } from "@toolbus/contracts";
import { closing, move, type Move } from "./approval-move.ts";

/**
 * Ends a pending approval as `refused` when its time is over and its document is not valid. An earlier version stored the document without a seal, or
 * somebody changed it. The call and the run are read from the approval's id. The document is kept without its decisions and its grant.
 */
export function refuseStored(
  approvalId: string,
  { version, claimed }: { readonly version: number; readonly claimed: Approval },
  { now }: { readonly now: number },
): Move {
  const callId = approvalCallId(approvalId);
  const { agent, sent } = claimed;
  const approval: Approval = {
    ...claimed,
    approvalId,
    callId,
    runId: callParts(callId).runId,
    agent: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(agent) ? agent : DEFAULT_AGENT,
    decisions: [],
    status: "refused",
    reason: NOT_ADOPTED,
    endedAt: now,
    sent: Math.max(1, Math.min(sent, MOST_SENT)) + 1,
  };
  delete (approval as { grant?: unknown }).grant;
  return move(`refuse:${approvalId}:${version}`, version, approval, {
    at: now,
    events: [{ event: "refused", by: "clock" }],
    answer: "decided",
    change: closing(approval),
  });
}

const NOT_ADOPTED =
  "What was stored of this approval was not sealed by the approvals service, and no operator adopted it in time. A new run can ask for the write again.";
// No approval gets as many answers as this. A larger number is forged, and counting up from it could become impossible.
const MOST_SENT = 1_000_000;
