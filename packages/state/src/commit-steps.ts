import type { PreparedChange } from "./prepared-change.ts";
import type { CommitReply, Seen } from "./state-store.ts";

/** The steps of a commit in an adapter's own storage. The adapter makes sure that no other commit happens between the steps. */
export interface CommitSteps {
  /** Returns the shard's last commit number. */
  last(shard: string): number;
  /** Returns the commit number of this change if it already happened, else null. Only the first document of a change remembers the change. */
  repeated(change: PreparedChange): number | null;
  /** Returns whether every guard holds. */
  guarded(change: PreparedChange, now: number): boolean;
  /** Makes the change. */
  apply(shard: string, change: PreparedChange, now: number, commit: number): void;
}

/** Decides a commit in the order that all adapters share, and makes the change if nothing prevents it. */
export function commitBy(steps: CommitSteps, shard: string, change: PreparedChange, now: number): CommitReply {
  const last = steps.last(shard);
  const lost = change.seen !== undefined && (change.seen.commit > last || change.seen.mark !== markOf(change.seen.commit));
  // A repeat is checked first, because a change that has happened stays "ok", however late the repeat arrives.
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

/** Returns the commit with this number, or null if a shard has none yet. */
export function seenOf(commit: number): Seen | null {
  return commit === 0 ? null : { commit, mark: markOf(commit) };
}

/** Returns whether a shard with this last commit has the commit `seen`. */
export function hasSeen(last: number, { commit, mark }: Seen): boolean {
  return commit >= 1 && commit <= last && mark === markOf(commit);
}

/** A store that loses nothing while it is open needs no random marks. The commit numbers alone show whether it was restored from an older copy. */
function markOf(commit: number): string {
  return String(commit);
}
