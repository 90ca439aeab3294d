import type { Disposition } from "@toolbus/bus";
import { callParts, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { snapshotAfter } from "../documents/snapshots.ts";
import { advanceHeld, type HeldRun, type Stepper } from "../steps/advance.ts";
import { takingRun } from "../steps/taken-run.ts";
import { storedOnce } from "../transitions/stored-once.ts";
import type { Snapshot } from "../transitions/snapshot.ts";

const TRIES = 20;

/** What continues the run if the transition makes it ready: this agent, its claim on the run, and the signal that stops the step. */
export interface Continuation {
  readonly stepper: Stepper;
  readonly by: string;
  readonly signal: AbortSignal;
}

/**
 * Applies a transition to the run of a call, until its change is committed or it has nothing to change. With `then`, the commit that makes the run
 * ready also acquires it, and this function does the step that follows before it resolves. So if the message that caused this is acknowledged only
 * afterwards, its redelivery shows at once that this process has died.
 */
export async function onCall(
  { outbox, snapshots, strays, transcripts }: Pick<Stepper, "outbox" | "snapshots" | "strays" | "transcripts">,
  callId: string,
  transition: (snapshot: Snapshot) => Change | null | Promise<Change | null>,
  then: Continuation | null = null,
): Promise<Disposition> {
  const { runId } = callParts(callId);
  const guess = snapshots.guess(runId);
  if (guess) {
    const done = await guessHolds(guess);
    if (done) return end(done);
  }
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const snapshot = await snapshots.load(runId);
    if (!snapshot) {
      strays.tell({ callId }, "a message for a missing run is dropped");
      return ACK;
    }
    const change = await transition(snapshot);
    if (!change) return ACK;
    const done = await committed(snapshot, change);
    if (done) return end(done);
  }
  return { kind: "retry", after: 100, reason: "the run changed too often in the meantime" };

  /** A guess is enough for a change that the store accepts, but never for a decision that there is nothing to do. */
  async function guessHolds(guess: Snapshot): Promise<Committed | null> {
    const known = guess.calls.some(({ value }) => value.callId === callId && value.state !== "resolved");
    const change = known ? await transition(guess) : null;
    return change && committed(guess, change);
  }

  /** Returns null if the store refused the change. */
  async function committed(snapshot: Snapshot, made: Change): Promise<Committed | null> {
    const taking = then && takingRun(then.stepper, snapshot, made, { name: "continue", by: then.by });
    const { value: run, version } = snapshot.run;
    const change = storedOnce(taking?.change ?? made, run.conversationId, transcripts.lastAt(run.conversationId, version));
    let held: Snapshot | null = null;
    try {
      const reply = await outbox.commit(shardOf(runId), change);
      if (reply.outcome !== "ok") return null;
      snapshots.written(snapshot, change, reply);
      held = taking && snapshotAfter(snapshot, change, reply);
      return { taken: taking && held && { held, ahead: null, place: taking.place } };
    } finally {
      if (!held) taking?.place.leave();
    }
  }

  async function end({ taken }: Committed): Promise<Disposition> {
    if (taken && then) await advanceHeld(then.stepper, taken, then.signal);
    return ACK;
  }
}

interface Committed {
  /** The run, if this process has acquired it. */
  readonly taken: HeldRun | null;
}

const ACK: Disposition = { kind: "ack" };
