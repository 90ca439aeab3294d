import type { PreparedChange } from "./prepared-change.ts";
import type { Change, CommitReply } from "./state-store.ts";

/** What a commit is made of, each step in an adapter's own storage. The adapter sees to it that no other commit comes between them. */
export interface CommitSteps {
  /** The shard's last commit number. */
  last(shard: string): number;
  /** The commit number that this change got when it happened before; null when its first document does not remember it. */
  repeated(change: PreparedChange): number | null;
  /** Whether every guard holds. */
  guarded(change: PreparedChange, now: number): boolean;
  /** The new sums of the change's counters; null when one would pass its ceiling. */
  sums(change: PreparedChange): ReadonlyMap<string, number> | null;
  /** Makes the change. */
  apply(shard: string, change: PreparedChange, sums: ReadonlyMap<string, number>, now: number, commit: number): void;
}

/** Decides a commit in the one order that all adapters share, and makes the change when nothing speaks against it. */
export function commitBy(steps: CommitSteps, shard: string, change: PreparedChange, now: number): CommitReply {
  // Before everything else: what has happened stays "ok", however late the repeat comes.
  const before = steps.repeated(change);
  if (before !== null) return { outcome: "ok", now, commit: before };
  const last = steps.last(shard);
  if (now > change.notAfter) return { outcome: "late", now, commit: last };
  if (!steps.guarded(change, now)) return { outcome: "stale", now, commit: last };
  const sums = steps.sums(change);
  if (!sums) return { outcome: "full", now, commit: last };
  steps.apply(shard, change, sums, now, last + 1);
  return { outcome: "ok", now, commit: last + 1 };
}

/** Adds to counters, in the order given; null when a sum that grows would pass its ceiling. A sum never goes below 0. */
export function addUp(add: NonNullable<Change["add"]>, stored: (counter: string) => number): ReadonlyMap<string, number> | null {
  const sums = new Map<string, number>();
  for (const { counter, by, ceiling } of add) {
    const sum = Math.max(0, (sums.get(counter) ?? stored(counter)) + by);
    if (by > 0 && ceiling !== undefined && sum > ceiling) return null;
    sums.set(counter, sum);
  }
  return sums;
}
