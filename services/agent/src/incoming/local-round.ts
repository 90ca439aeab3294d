import { type Call, callParts, type Message, type ToolInvoke, type ToolResult } from "@toolbus/contracts";
import type { LocalToolset, LocalToolsets } from "@toolbus/bus";
import type { Change } from "@toolbus/state";
import { snapshotAfter } from "../documents/snapshots.ts";
import { advanceHeld, type CommittedTurn } from "../steps/advance.ts";
import { RIDE_MS, rideAhead } from "../steps/ahead.ts";
import { acquire } from "../transitions/acquire.ts";
import { joinResult } from "../transitions/join.ts";
import { mergeChanges, PENDING, withoutWake } from "../transitions/merge-changes.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { answerArrived } from "./arrived.ts";
import { gathered } from "./gathered.ts";
import type { InboxReader } from "./inbox-reader.ts";
import { onCall } from "./on-call.ts";
import { askedPeople, withQuestions } from "./seen-questions.ts";

export interface LocalRoundOptions {
  readonly local: LocalToolsets;
  /** Runs work that the service's stop waits for. */
  readonly background: (work: Promise<void>) => void;
  readonly stopping: AbortSignal;
}

/**
 * Makes the local calls of a turn, and continues the run when it has their results. If the turn consists of local reads and computations, and all of
 * their results are there within a moment of each other, then the results ride on the commit of the next turn (decision 0119). Otherwise each result is
 * committed by itself.
 */
export function localRounds(reader: () => InboxReader, { local, background, stopping }: LocalRoundOptions): (turn: CommittedTurn) => void {
  return ({ snapshot, invokes }) => {
    const reads: LocalRead[] = [];
    for (const invoke of invokes) {
      const read = snapshot && readOf(snapshot, invoke, local);
      if (read) reads.push(read);
      else reader().outbox.begin(invoke);
    }
    if (reads.length > 0) background(makeCalls(reads, reads.length === snapshot?.calls.length));
  };

  /** `isWhole` says whether the turn has no other calls. */
  async function makeCalls(reads: readonly LocalRead[], isWhole: boolean): Promise<void> {
    const answers = reads.map((read) => answerOf(reader(), read, stopping));
    if (isWhole) {
      const { all, sinceFirstMs } = await gathered(answers, RIDE_MS, reader().monotonic);
      if (all?.every((answer) => answer !== null) && (await ridesOn(reader(), all, RIDE_MS - sinceFirstMs, stopping))) return;
    }
    await Promise.all(answers.map(async (answer) => joinAlone(reader(), await answer, stopping)));
  }
}

interface LocalRead {
  readonly invoke: Message;
  readonly call: Call;
  readonly toolset: LocalToolset;
}

/** Returns the read or the computation of this invoke. Returns null for a write, or if the run has changed since its turn. */
function readOf({ run, calls }: Snapshot, invoke: Message, local: LocalToolsets): LocalRead | null {
  const call = calls.find(({ value }) => value.callId === invoke.correlationId)?.value;
  const toolset = local.get(invoke.topic);
  if (!call || !toolset || call.kind === "write" || call.state !== "dispatched") return null;
  return run.value.status === "waiting" && !run.value.cancel ? { invoke, call, toolset } : null;
}

interface LocalAnswer {
  readonly callId: string;
  /** Nobody else can give this answer, so no secret proves where it comes from. */
  readonly secretHash: null;
  readonly result: ToolResult;
}

async function answerOf(reader: InboxReader, { invoke, call, toolset }: LocalRead, signal: AbortSignal): Promise<LocalAnswer | null> {
  const { callId, toolName, conversationId: sessionId } = call;
  const body: ToolInvoke = { toolCallId: callId, toolName, arguments: call.arguments, sessionId };
  const result = await toolset.read(invoke, body, signal).catch((error: unknown) => {
    reader.log.error({ error, callId }, "a local call failed; its timer makes it again");
    return null;
  });
  if (result) return { callId, secretHash: null, result };
  await reader.outbox.handBack(invoke);
  return null;
}

/** Joins one result as if it had come over the bus. */
async function joinAlone(reader: InboxReader, answer: LocalAnswer | null, signal: AbortSignal): Promise<void> {
  if (!answer) return;
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
async function ridesOn(
  reader: InboxReader,
  answers: readonly (LocalAnswer | null)[],
  rideMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { rules, snapshots, transcripts, places } = reader;
  const [first] = answers;
  const base = first ? snapshots.guess(callParts(first.callId).runId) : null;
  if (!base) return false;
  const joined = await joinedAll(reader, base, answers);
  if (!joined) return false;
  const got = acquire(joined.snapshot, { by: `ride:${base.run.version}`, redelivered: false }, rules);
  if (got.kind !== "acquired") return false;
  const { runId, conversationId } = base.run.value;
  // What rides cannot be read from the store. So everything before it must be in memory.
  if (!transcripts.at(conversationId, base.run.version)) await transcripts.window(conversationId, base.run.version);
  const after = snapshotAfter(joined.snapshot, got.change, { now: joined.snapshot.now, commit: PENDING });
  if (!after) return false;
  const place = places.tryTake();
  if (!place) return false;
  const change = withoutWake(mergeChanges("continue", joined.change, got.change), runId);
  transcripts.grown(conversationId, change, { before: base.run.version, after: PENDING });
  const again = async (): Promise<void> => {
    for (const answer of answers) await joinAlone(reader, answer, signal);
  };
  const ahead = rideAhead(reader, { base, change, after, rideMs, again });
  await advanceHeld(reader, { held: after, ahead, place }, signal);
  return true;
}

/** Joins all results in one change. Returns null if one of them cannot ride. */
async function joinedAll(
  reader: InboxReader,
  base: Snapshot,
  answers: readonly (LocalAnswer | null)[],
): Promise<{ readonly snapshot: Snapshot; readonly change: Change } | null> {
  let snapshot: Snapshot = base;
  let change: Change | null = null;
  for (const answer of answers) {
    const call = snapshot.calls.find(({ value }) => value.callId === answer?.callId)?.value;
    if (!answer || !call || askedPeople(call, answer.result)) return null;
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
