import { callParts, type ToolResult } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { snapshotAfter } from "../documents/snapshots.ts";
import { advanceHeld } from "../steps/advance.ts";
import { type Ahead, rideAhead } from "../steps/ahead.ts";
import { acquire } from "../transitions/acquire.ts";
import { joinResult } from "../transitions/join.ts";
import { mergeChanges, PENDING, withoutWake } from "../transitions/merge-changes.ts";
import { storedOnce } from "../transitions/stored-once.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { answerArrived } from "./arrived.ts";
import type { InboxReader } from "./inbox-reader.ts";
import { onCall } from "./on-call.ts";
import { askedPeople, withQuestions } from "./seen-questions.ts";

/** The result of a read or a computation. */
export interface ReadAnswer {
  readonly callId: string;
  /** Proves that the sender saw the invoke. Null for a result from this process. */
  readonly secretHash: string | null;
  readonly result: ToolResult;
}

export interface Riding {
  /** How long the results may still wait for the commit of the next turn, in milliseconds. */
  readonly rideMs: number;
  /** The claim on the run. */
  readonly by: string;
  /** Stops the step. */
  readonly signal: AbortSignal;
}

/** Joins one result in a commit of its own. */
export async function joinAlone(reader: InboxReader, answer: ReadAnswer, signal: AbortSignal): Promise<void> {
  const join = async (snapshot: Snapshot): Promise<Change | null> => {
    const call = snapshot.calls.find(({ value }) => value.callId === answer.callId)?.value;
    const asked = askedPeople(call, answer.result) ? await withQuestions(reader, snapshot, answer.callId) : snapshot;
    const { snapshot: seen, arrived } = await answerArrived(reader, asked, answer);
    const joined = joinResult(seen, arrived, reader.rules);
    return joined.kind === "join" ? joined.change : null;
  };
  await onCall(reader, answer.callId, join, { stepper: reader, by: `here:${answer.callId}`, signal });
}

/**
 * Joins the results and begins the next step with a change that rides on the step's commit. Returns false if the results must be joined one by one:
 * the run has changed, a result is long or asked people, or this process may begin no further step now.
 */
export async function ridesOn(reader: InboxReader, answers: readonly ReadAnswer[], riding: Riding): Promise<boolean> {
  const [first] = answers;
  const base = first ? reader.snapshots.guess(callParts(first.callId).runId) : null;
  // Only the results that end a round begin a step.
  if (base?.run.value.pending !== answers.length) return false;
  // A bus may deliver a result twice at the same time. The second delivery must not ask the model too.
  return reader.rides.once(`${base.run.value.runId}@${base.run.version}`, (begun) => rideFrom(reader, base, answers, { ...riding, begun }));
}

async function rideFrom(
  reader: InboxReader,
  base: Snapshot,
  answers: readonly ReadAnswer[],
  { rideMs, by, signal, begun }: Riding & { readonly begun: (ahead: Ahead) => void },
): Promise<boolean> {
  const { rules, transcripts, places } = reader;
  const joined = await joinedAll(reader, base, answers);
  if (!joined) return false;
  const got = acquire(joined.snapshot, { by, redelivered: false }, rules);
  if (got.kind !== "acquired") return false;
  const { runId, conversationId } = base.run.value;
  // What rides cannot be read from the store. So everything before it must be in memory.
  if (!transcripts.at(conversationId, base.run.version)) await transcripts.window(conversationId, base.run.version);
  const pending = reader.rides.pending();
  const after = snapshotAfter(joined.snapshot, got.change, { now: joined.snapshot.now, commit: pending });
  if (!after) return false;
  const place = places.tryTake();
  if (!place) return false;
  const last = transcripts.lastAt(conversationId, base.run.version);
  const change = storedOnce(withoutWake(mergeChanges("continue", joined.change, got.change), runId), conversationId, last);
  transcripts.grown(conversationId, change, { before: base.run.version, after: pending });
  const again = async (): Promise<void> => {
    for (const answer of answers) await joinAlone(reader, answer, signal);
  };
  const ahead = rideAhead(reader, { base, change, after, rideMs, again });
  begun(ahead);
  await advanceHeld(reader, { held: after, ahead, place }, signal);
  return true;
}

/** Joins all results in one change. Returns null if one of them cannot ride. */
async function joinedAll(
  reader: InboxReader,
  base: Snapshot,
  answers: readonly ReadAnswer[],
): Promise<{ readonly snapshot: Snapshot; readonly change: Change } | null> {
  let snapshot: Snapshot = base;
  let change: Change | null = null;
  for (const answer of answers) {
    const call = snapshot.calls.find(({ value }) => value.callId === answer.callId)?.value;
    if (!call || call.kind === "write" || askedPeople(call, answer.result)) return null;
    const { snapshot: seen, arrived } = await answerArrived(reader, snapshot, answer);
    // The text of a long result is stored elsewhere, so the model could not be asked from memory.
    if (arrived.result.contentRef !== undefined || seen.shown !== undefined) return null;
    const joined = joinResult(seen, arrived, reader.rules);
    if (joined.kind !== "join") return null;
    const after = snapshotAfter(seen, joined.change, { now: seen.now, commit: PENDING });
    if (!after) return null;
    change = change ? mergeChanges("join", change, joined.change) : joined.change;
    snapshot = after;
  }
  return change && { snapshot, change };
}
