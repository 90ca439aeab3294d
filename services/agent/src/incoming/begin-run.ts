import { type ConversationState, keys, type MessageEntry, type Run, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { snapshotAfter } from "../documents/snapshots.ts";
import type { HeldRun } from "../steps/advance.ts";
import { RIDE_MS, rideAhead } from "../steps/ahead.ts";
import { takingRun } from "../steps/taken-run.ts";
import { newConversation } from "../transitions/conversation.ts";
import type { Read } from "../transitions/rules.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import type { InboxReader } from "./inbox-reader.ts";

export interface Beginning {
  readonly entry: MessageEntry;
  /** The change that starts the run. */
  readonly started: Change;
  /** Null if this is the conversation's first run. */
  readonly conversation: Read<ConversationState> | null;
  /** The store's time, in milliseconds. */
  readonly now: number;
  /** Claims the run. */
  readonly by: string;
  /** Only starts the run, in a commit of its own. */
  readonly again: () => Promise<void>;
}

/**
 * Starts a run and acquires it at once. The first run of a conversation rides on the commit of its first turn. Returns null if the run must only be
 * started: it does not begin now, or this process may begin no further step. Resolves with null if the store refused the change.
 */
export function beginRun(reader: InboxReader, { entry, started, conversation, now, by, again }: Beginning): Promise<HeldRun | null> | null {
  const base = freshSnapshot(entry, started, conversation, now);
  const taking = base && takingRun(reader, base, started, { name: "launch", by });
  if (!taking) return null;
  const { change, place } = taking;
  const pending = reader.rides.pending();
  const after = snapshotAfter(base, change, { now, commit: pending });
  if (after && conversation === null) {
    reader.transcripts.begun(entry.conversationId, change, pending);
    return Promise.resolve({ held: after, ahead: rideAhead(reader, { base, change, after, rideMs: RIDE_MS, again }), place });
  }
  return committed(reader, base, change).then(
    (held) => {
      if (!held) place.leave();
      return held && { held, ahead: null, place };
    },
    (error: unknown) => {
      place.leave();
      throw error;
    },
  );
}

async function committed({ outbox, snapshots }: InboxReader, base: Snapshot, change: Change): Promise<Snapshot | null> {
  const reply = await outbox.commit(shardOf(base.run.value.runId), change);
  if (reply.outcome !== "ok") return null;
  snapshots.written(base, change, reply);
  return snapshotAfter(base, change, reply);
}

/** Returns the snapshot of a run that does not exist yet, as its start is about to write it. Returns null if other runs wait or are active. */
function freshSnapshot(
  { runId, conversationId }: MessageEntry,
  { put = [] }: Change,
  conversation: Read<ConversationState> | null,
  now: number,
): Snapshot | null {
  const run = put.find(({ key }) => key === keys.run(runId))?.value as unknown as Run | undefined;
  const before = conversation ?? { version: 0, value: newConversation(conversationId) };
  if (run?.status !== "ready" || before.value.queue.length > 0) return null;
  return { now, run: { version: 0, value: run }, conversation: before, calls: [], next: null };
}
