import type { PreparedChange } from "./prepared-change.ts";
import type { CommitReply } from "./state-store.ts";

/** The steps of a commit, each in an adapter's own storage. The adapter makes sure that no other commit comes between them. */
export interface CommitSteps {
  /** The shard's last commit number. */
  last(shard: string): number;
  /** The commit number of this change if it already happened; null if its first document does not remember it. */
  repeated(change: PreparedChange): number | null;
  /** Whether every guard holds. */
  guarded(change: PreparedChange, now: number): boolean;
  /** Makes the change. */
  apply(shard: string, change: PreparedChange, now: number, commit: number): void;
}

/** Decides a commit in the order that all adapters share, and makes the change if nothing prevents it. */
export function commitBy(steps: CommitSteps, shard: string, change: PreparedChange, now: number): CommitReply {
  const last = steps.last(shard);
  const lost = change.seen !== undefined && (change.seen.commit > last || change.seen.mark !== markOf(change.seen.commit));
  // Before everything else: a change that has happened stays "ok", however late the repeat comes.
  const before = steps.repeated(change);
  if (before !== null) return replyOf("ok", before);
  if (lost) return replyOf("stale", last);
  if (now > change.notAfter) return replyOf("late", last);
  if (!steps.guarded(change, now)) return replyOf("stale", last);
  steps.apply(shard, change, now, last + 1);
  return replyOf("ok", last + 1);

  function replyOf(outcome: CommitReply["outcome"], commit: number): CommitReply {
    return { outcome, now, commit, ...(commit > 0 ? { mark: markOf(commit) } : {}), ...(lost ? { rolledBack: true } : {}) };
  }
}

/** A store that loses nothing while it is open needs no random marks: its numbers alone show whether it was restored from an older copy. */
function markOf(commit: number): string {
  return String(commit);
}
