import { type Approval, approvalCallId, callParts, DEFAULT_AGENT } from "@toolbus/contracts";
import { closing, move, type Move } from "./approval-move.ts";

/**
 * Ends a pending approval when its time is over that this service did not store in this form: an earlier version stored it without a seal, or somebody
 * changed it. The recipient is read from its id and, for the agent's name, from the document; nothing else of it is kept.
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
// More answers than any approval ever gets: a forged number must not become too large to count on from.
const MOST_SENT = 1_000_000;
