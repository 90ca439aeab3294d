import { type Call, type ConversationState, keys, type Run } from "@toolbus/contracts";
import type { Change, CommitReply, StateStore } from "@toolbus/state";
import type { Snapshot } from "../transitions/snapshot.ts";
import { loadSnapshot } from "./load.ts";
import { keepWritten } from "./named-documents.ts";
import type { Transcripts } from "../steps/transcripts.ts";
import type { Read } from "../transitions/rules.ts";

/**
 * Snapshots of runs. A process that has just committed a run knows its documents without reading them again. That snapshot is a guess. Only a commit
 * may rely on it, because the guards of the commit check it. A decision to do nothing needs `load`.
 */
export interface Snapshots {
  /**
   * Returns the run as this process last committed it. `now` is advanced by the time since that commit. Returns null if the commit is too long ago.
   */
  guess(runId: string): Snapshot | null;
  load(runId: string): Promise<Snapshot | null>;
  /** Forgets what this process knows of a run, because the store has refused a change that was based on it. */
  forget(runId: string): void;
  /**
   * Records that a change made from this snapshot was committed. `growth` says which part of the change the transcript does not have yet. By default
   * this is the whole change.
   */
  written(snapshot: Snapshot, change: Change, reply: CommitReply, growth?: Growth): void;
}

/** The growth of a transcript in a commit. */
export interface Growth {
  /** The version of the run's document at which the transcript is known. */
  readonly before: number;
  /** The change that appends, or null if the transcript has everything. */
  readonly change: Change | null;
}

interface Kept {
  readonly snapshot: Snapshot;
  readonly at: number;
}

const KEPT_RUNS = 512;
// This time is short, because after a rollback of the store a commit number may belong to another commit. A round takes even less time if none of its
// tools is slow.
const KEPT_MS = 2000;

export function snapshots(state: StateStore, monotonic: () => number, transcripts?: Pick<Transcripts, "grown" | "forget">): Snapshots {
  const kept = new Map<string, Kept>();
  return {
    guess(runId) {
      const known = kept.get(runId);
      if (!known) return null;
      const since = Math.ceil(monotonic() - known.at);
      if (since <= KEPT_MS) return { ...known.snapshot, now: known.snapshot.now + since };
      kept.delete(runId);
      return null;
    },
    load: (runId) => loadSnapshot(state, runId),
    forget: (runId) => void kept.delete(runId),
    written(snapshot, change, reply, growth = { before: snapshot.run.version, change }) {
      const { runId, conversationId } = snapshot.run.value;
      keepWritten(state, runId, change);
      if (reply.rolledBack) transcripts?.forget(conversationId);
      else transcripts?.grown(conversationId, growth.change, { before: growth.before, after: reply.commit });
      kept.delete(runId);
      const next = reply.rolledBack ? null : snapshotAfter(snapshot, change, reply);
      if (next === null) return;
      kept.set(runId, { snapshot: next, at: monotonic() });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_RUNS && oldest !== undefined) kept.delete(oldest);
    },
  };
}

/** Returns the snapshot after a change, or null if the change does not determine all of it. */
export function snapshotAfter(
  before: Snapshot,
  { put = [] }: Change,
  { now, commit }: Pick<CommitReply, "now" | "commit">,
): Snapshot | null {
  const written = new Map(put.map(({ key, value }) => [key, value]));
  // Only the agent writes these families, so their documents have the right types.
  const read = <T>(key: string, known: Read<T> | null | undefined): Read<T> | null => {
    const value = written.get(key);
    return value === undefined ? (known ?? null) : { version: commit, value: value as unknown as T };
  };
  const run = read<Run>(keys.run(before.run.value.runId), before.run);
  if (!run || run.value.endedAt !== null) return null;
  const conversation = read<ConversationState>(keys.conversation(run.value.conversationId), before.conversation);
  if (!conversation) return null;
  const [first] = conversation.value.queue;
  const next = first ? read<Run>(keys.run(first.runId), before.next?.value.runId === first.runId ? before.next : null) : null;
  if (first && !next) return null;
  const calls: Read<Call>[] = [];
  for (const { callId } of run.value.calls) {
    const call = read<Call>(
      keys.call(callId),
      before.calls.find(({ value }) => value.callId === callId),
    );
    if (!call) return null;
    calls.push(call);
  }
  return { now, run, conversation, calls, next };
}
