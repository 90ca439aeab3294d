import type { Call } from "@toolbus/contracts";
import { invokeMessage } from "../outgoing/messages.ts";
import type { Draft } from "./draft.ts";
import { resendCallAfter } from "./resend-after.ts";

/** The time after which the agent first checks whether a worker serves a sent call. */
const FIRST_LOOK_MS = 2000;

/** Sends the call's invoke. The first invoke fixes the call's not-after permanently. */
export function dispatch(draft: Draft, call: Call): void {
  const dispatch = call.dispatch + 1;
  const sent: Call = {
    ...call,
    state: "dispatched",
    dispatch,
    sentAt: draft.now,
    notAfter: call.notAfter ?? draft.now + draft.rules.config.CALL_NOT_AFTER_MS,
  };
  draft.setCall(sent, resendCallAfter(sent, draft.rules));
  // A worker of this process is certainly alive.
  if (dispatch === 1 && !draft.rules.servesHere?.(call.toolset)) draft.callTimerWithin(call.callId, FIRST_LOOK_MS);
  draft.send(invokeMessage(sent, draft.run, draft.rules, draft.now));
}

/**
 * Sends the same invoke again after a restart. The broker of the embedded form lost the earlier invoke with its process, so the number of dispatches
 * does not rise.
 */
export function repeat(draft: Draft, call: Call): void {
  const sent: Call = { ...call, sentAt: draft.now };
  draft.setCall(sent, draft.rules.config.REDISPATCH_MS);
  draft.send(invokeMessage(sent, draft.run, draft.rules, draft.now));
}
