import type { Disposition } from "@toolbus/bus";
import { callParts, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import type { Stepper } from "../steps/advance.ts";
import type { Snapshot } from "../transitions/snapshot.ts";

const TRIES = 20;

/** Applies a transition to the run of a call, until its change is committed or it has nothing to change. */
export async function onCall(
  { outbox, snapshots, strays }: Pick<Stepper, "outbox" | "snapshots" | "strays">,
  callId: string,
  transition: (snapshot: Snapshot) => Change | null | Promise<Change | null>,
): Promise<Disposition> {
  const { runId } = callParts(callId);
  const guess = snapshots.guess(runId);
  if (guess && (await guessHolds(guess))) return { kind: "ack" };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const snapshot = await snapshots.load(runId);
    if (!snapshot) {
      strays.tell({ callId }, "a message for a missing run is dropped");
      return { kind: "ack" };
    }
    const change = await transition(snapshot);
    if (!change || (await isCommitted(snapshot, change))) return { kind: "ack" };
  }
  return { kind: "retry", after: 100, reason: "the run changed too often in the meantime" };

  /** A guess is enough for a change that the store accepts, but never for a decision that there is nothing to do. */
  async function guessHolds(guess: Snapshot): Promise<boolean> {
    const known = guess.calls.some(({ value }) => value.callId === callId && value.state !== "resolved");
    const change = known ? await transition(guess) : null;
    return change !== null && isCommitted(guess, change);
  }

  async function isCommitted(snapshot: Snapshot, change: Change): Promise<boolean> {
    const reply = await outbox.commit(shardOf(runId), change);
    if (reply.outcome !== "ok") return false;
    snapshots.written(snapshot, change, reply);
    return true;
  }
}
