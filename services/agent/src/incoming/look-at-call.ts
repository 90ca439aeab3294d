import type { Disposition } from "@toolbus/bus";
import { callParts, type SeenCall } from "@toolbus/contracts";
import type { Stepper } from "../steps/advance.ts";
import { rowArrived } from "./arrived.ts";
import { callOf } from "../transitions/decided.ts";
import { seenLedger } from "./seen-ledger.ts";
import { onCall } from "./on-call.ts";
import { redispatch } from "../transitions/redispatch.ts";

/**
 * Looks at a call before its timer does, because an operator asked for it. The numbers make it happen once: a call that was sent or asked for again since
 * it was seen is left alone, whoever did it, including a repeat of this very message.
 */
export async function lookAtCall(
  stepper: Pick<Stepper, "state" | "outbox" | "snapshots" | "strays" | "rules" | "modelOf" | "proofs" | "log">,
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
