import { type ApprovalRollback, type Era, FIRST_ERA, type LostShard } from "@toolbus/contracts";

// These functions are the transitions of the era, without I/O. `before` is null while no document exists.

export type Losses = ApprovalRollback["losses"];

export interface LossNoted {
  /** The era to store, or null if nothing has to be stored. */
  readonly era: Era | null;
  /** The shards for which the era was raised. */
  readonly shards: readonly string[];
  /** The shards that this sender reported too often. These reports have no effect. */
  readonly refused: readonly string[];
  /** The time until the remaining losses may be reported again, in milliseconds. It is 0 if none remain. */
  readonly waitMs: number;
}

/** The shortest time between two raises for one shard. It limits a sender of false loss reports. */
export const RAISE_EVERY_MS = 60_000;

/**
 * How often the reports of one sender may raise the era for one shard within an hour. If the store really has more losses, other senders and
 * operators report them.
 */
export const RAISES_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/**
 * Raises the era for shards that lost writes, and holds these shards. A loss that was seen before the shard was held is already known. Every process
 * notices a loss at a different time, perhaps long after the shard was resumed. `resumeAfterMs` is the time after which the shards resume
 * automatically, and 0 means never.
 */
export function noteLosses(
  before: Era | null,
  losses: Losses,
  {
    now,
    by,
    resumeAfterMs,
    highest,
  }: { readonly now: number; readonly by: string; readonly resumeAfterMs: number; readonly highest?: number | undefined },
): LossNoted {
  const recent = (before?.raises ?? []).filter(({ at }) => now - at < HOUR_MS);
  const raisesOf = (shard: string): number => recent.filter((one) => one.shard === shard && one.by === by).length;
  const refused = new Set<string>();
  const fresh = losses.flatMap(({ shard, seenAt }) => {
    const lostAt = before?.lost?.find((one) => one.shard === shard)?.lostAt;
    // A sender may claim a time in the future, but nobody can have seen a loss later than now.
    if (lostAt !== undefined && Math.min(seenAt, now) <= lostAt) return [];
    if (raisesOf(shard) >= RAISES_PER_HOUR) {
      refused.add(shard);
      return [];
    }
    return [{ shard, waitMs: lostAt === undefined ? 0 : Math.max(0, lostAt + RAISE_EVERY_MS - now) }];
  });
  const shards = [...new Set(fresh.filter(({ waitMs }) => waitMs === 0).map(({ shard }) => shard))].toSorted();
  const waitMs = Math.max(0, ...fresh.map((one) => one.waitMs));
  if (shards.length === 0) return { era: null, shards, refused: [...refused], waitMs };
  const resume = resumeAfterMs === 0 ? {} : { resumeAt: now + resumeAfterMs, resumedBy: "policy" };
  const reason = `the store lost writes of ${shards.length === 1 ? `shard ${shards[0]}` : `${shards.length} shards`}`;
  const raises = [...recent, ...shards.map((shard) => ({ shard, by, at: now }))].slice(-MOST_RAISES);
  const era = raised(before, { now, reason, held: shards.map((shard) => ({ shard, lostAt: now, ...resume })), highest });
  return { era: { ...era, raises }, shards, refused: [...refused], waitMs };
}

// This is enough for every shard of a store and a few senders. The oldest entries are dropped first.
const MOST_RAISES = 512;

/** Returns the next era, with these shards held in addition to the shards that are already held. */
export function raised(
  before: Era | null,
  next: {
    readonly now: number;
    readonly reason: string;
    readonly held: readonly LostShard[];
    /** The highest era that this process has seen, if it has seen one. */
    readonly highest?: number | undefined;
  },
): Era {
  const { now, reason, held, highest = FIRST_ERA } = next;
  const others = (before?.lost ?? []).filter(({ shard }) => held.every((one) => one.shard !== shard));
  const lost = [...others, ...held].toSorted((a, b) => a.shard.localeCompare(b.shard));
  // The number follows the clock and is above every era that was seen, because the document may be an old copy. An era that was used once and then
  // lost must not be used again.
  const era = Math.max((before?.era ?? FIRST_ERA) + 1, highest + 1, Math.floor(now / 1000));
  const { raises } = before ?? {};
  return { era, raisedAt: now, reason, ...(lost.length === 0 ? {} : { lost }), ...(raises === undefined ? {} : { raises }) };
}

/**
 * Returns the era after the writes of these shards were resumed. If `shards` is null, all shards are resumed. Returns null if none of them is held.
 */
export function resumed(
  before: Era | null,
  { shards, by, now }: { readonly shards: readonly string[] | null; readonly by: string; readonly now: number },
): { readonly era: Era; readonly shards: readonly string[] } | null {
  const lost = before?.lost ?? [];
  const waiting = lost.filter(
    ({ shard, resumeAt }) => (shards === null || shards.includes(shard)) && (resumeAt === undefined || now < resumeAt),
  );
  if (!before || waiting.length === 0) return null;
  const era = { ...before, lost: lost.map((one) => (waiting.includes(one) ? { ...one, resumeAt: now, resumedBy: by } : one)) };
  return { era, shards: waiting.map(({ shard }) => shard) };
}
