import type { LocalToolset, LocalToolsets } from "@toolbus/bus";
import type { Call, Message, ToolInvoke } from "@toolbus/contracts";
import type { CommittedTurn } from "../steps/advance.ts";
import { RIDE_MS } from "../steps/ahead.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { gathered } from "./gathered.ts";
import type { InboxReader } from "./inbox-reader.ts";
import { joinAlone, type ReadAnswer, ridesOn } from "./ride-on.ts";

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
      const riding = { rideMs: RIDE_MS - sinceFirstMs, by: `here:${reads[0]?.call.callId}`, signal: stopping };
      if (all?.every((answer) => answer !== null) && (await ridesOn(reader(), all, riding))) return;
    }
    await Promise.all(
      answers.map(async (answering) => {
        const answer = await answering;
        if (answer) await joinAlone(reader(), answer, stopping);
      }),
    );
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

async function answerOf(reader: InboxReader, { invoke, call, toolset }: LocalRead, signal: AbortSignal): Promise<ReadAnswer | null> {
  const { callId, toolName, conversationId: sessionId } = call;
  const body: ToolInvoke = { toolCallId: callId, toolName, arguments: call.arguments, sessionId };
  const result = await toolset.read(invoke, body, signal).catch((error: unknown) => {
    reader.log.error({ error, callId }, "a local call failed; its timer makes it again");
    return null;
  });
  // Nobody else can give this answer, so no secret proves where it comes from.
  if (result) return { callId, secretHash: null, result };
  await reader.outbox.handBack(invoke);
  return null;
}
