import type { Call } from "@toolbus/contracts";
import { approvalCancelMessage, approvalRequestMessage } from "../outgoing/messages.ts";
import type { Draft } from "./draft.ts";
import { resendAfter } from "./resend-after.ts";

/** Asks approvals for a grant, the first time or again. */
export function requestGrant(draft: Draft, call: Call, state: "requested" | "held" = "requested"): void {
  const requests = call.requests + 1;
  const asked: Call = { ...call, state, requests, sentAt: draft.now };
  draft.setCall(asked, state === "held" ? draft.rules.config.HELD_CHECK_MS : resendAfter(requests, draft.rules));
  // Only untrusted content that the run read before this turn can have influenced the write. Later content must not change a repeat of the request.
  draft.send(approvalRequestMessage(asked, asked.afterUntrusted ? draft.run.taint : undefined, draft.rules, draft.now));
}

/** Notifies approvals that nobody waits for its decision any more. Does nothing if the call has no open request. */
export function withdrawRequest(draft: Draft, call: Call): void {
  if (call.state === "requested" || call.state === "held")
    draft.send(approvalCancelMessage(call, draft.run.cancel ? "run_cancelled" : "not_needed", draft.rules, draft.now));
}
