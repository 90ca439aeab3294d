import type { Disposition } from "@toolbus/bus";
import { callParts, type SeenCall } from "@toolbus/contracts";
import type { Stepper } from "../steps/advance.ts";
import { rowArrived } from "./arrived.ts";
import { callOf } from "../transitions/decided.ts";
import { seenLedger } from "./seen-ledger.ts";
import { onCall } from "./on-call.ts";
import { redispatch } from "../transitions/redispatch.ts";

/**
 * Does the work of a call's timer early, because an operator asked for it. `dispatch` and `requests` are the numbers that the operator saw. If one of
 * them has changed, the call was sent again or its grant was requested again. Then nothing happens, so a repeat of the same message does nothing.
 */
export async function lookAtCall(
  stepper: Pick<Stepper, "state" | "outbox" | "snapshots" | "strays" | "rules" | "transcripts" | "modelOf" | "proofs" | "log">,
  runId: string,
  { callId, dispatch, requests }: SeenCall,
): Promise<Disposition> {
  const { rules, log } = stepper;
  if (callParts(callId).runId !== runId) {
    log.warn({ runId, callId }, "a wake named another run's call");
    return { kind: "ack" };
  }
  return onCall(stepper, callId, async (snapshot) => {
    const call = callOf(snapshot, callId);
    if (call?.dispatch !== dispatch || call.requests !== requests) return null;
    const ledger = await seenLedger(stepper, snapshot, callId);
    const seen = await rowArrived(stepper, snapshot, callId, ledger.row);
    return redispatch(seen.snapshot, callId, seen.arrived, rules, { ...ledger, asked: true });
  });
}
