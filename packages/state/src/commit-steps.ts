import type { PreparedChange } from "./prepared-change.ts";
import type { Change, CommitReply } from "./state-store.ts";

/** The steps of a commit, each in an adapter's own storage. The adapter makes sure that no other commit comes between them. */
export interface CommitSteps {
  /** The shard's last commit number. */
  last(shard: string): number;
  /** The commit number of this change if it already happened; null if its first document does not remember it. */
  repeated(change: PreparedChange): number | null;
  /** Whether every guard holds. */
  guarded(change: PreparedChange, now: number): boolean;
  /** The new sums of the change's counters; null if one would exceed its ceiling. */
  sums(change: PreparedChange): ReadonlyMap<string, number> | null;
  /** Makes the change. */
  apply(shard: string, change: PreparedChange, sums: ReadonlyMap<string, number>, now: number, commit: number): void;
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
  const sums = steps.sums(change);
  if (!sums) return replyOf("full", last);
  steps.apply(shard, change, sums, now, last + 1);
  return replyOf("ok", last + 1);

  function replyOf(outcome: CommitReply["outcome"], commit: number): CommitReply {
    return { outcome, now, commit, ...(commit > 0 ? { mark: markOf(commit) } : {}), ...(lost ? { rolledBack: true } : {}) };
  }
}

/** A store that loses nothing while it is open needs no random marks: its numbers alone show whether it was restored from an older copy. */
function markOf(commit: number): string {
  return String(commit);
}

/** Adds to counters, in the given order; null if a growing sum would exceed its ceiling. A sum never goes below 0. */
export function addUp(add: NonNullable<Change["add"]>, stored: (counter: string) => number): ReadonlyMap<string, number> | null {
  const sums = new Map<string, number>();
  for (const { counter, by, ceiling } of add) {
    const sum = Math.max(0, (sums.get(counter) ?? stored(counter)) + by);
    if (by > 0 && ceiling !== undefined && sum > ceiling) return null;
    sums.set(counter, sum);
  }
  return sums;
}
