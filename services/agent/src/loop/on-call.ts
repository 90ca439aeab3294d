import type { Disposition } from "@toolbus/bus";
import { callParts, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import type { Stepper } from "./advance.ts";
import type { Snapshot } from "./draft.ts";
import { loadSnapshot } from "./load.ts";

const TRIES = 20;

/** Applies a transition to the run of a call until it is committed or there is nothing to do. */
export async function onCall(
  { state, outbox, log }: Pick<Stepper, "state" | "outbox" | "log">,
  callId: string,
  transition: (snapshot: Snapshot) => Change | null | Promise<Change | null>,
): Promise<Disposition> {
  const { runId } = callParts(callId);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const snapshot = await loadSnapshot(state, runId);
    if (!snapshot) {
      log.warn({ callId }, "a message for a run that is not there is dropped");
      return { kind: "ack" };
    }
    const change = await transition(snapshot);
    if (!change || (await outbox.commit(shardOf(runId), change)).outcome === "ok") return { kind: "ack" };
  }
  return { kind: "retry", after: 100, reason: "the run changed too often meanwhile" };
}
