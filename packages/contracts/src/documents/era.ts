import { type Static, Type } from "../schema.ts";
import { callParts, ID_PATTERNS, mintedAt, shardOf } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** A shard that lost writes which its store had acknowledged. Times are the store's, in milliseconds since 1970. */
export const LostShard = Type.Object(
  {
    shard: Type.String({ pattern: ID_PATTERNS.shard }),
    /** When the era was raised for it: data that somebody saw before this time and misses now was lost in this loss. */
    lostAt: Type.Integer({ minimum: 0 }),
    /** When its writes run again; absent: when an operator resumes it. */
    resumeAt: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Who resumed it: an operator, or `policy`. */
    resumedBy: Type.Optional(Type.String()),
  },
  closed,
);
export type LostShard = Static<typeof LostShard>;

/**
 * Raised when the store lost writes: grants of another era are void, and in the shards that lost writes no write begins that cannot be repeated safely.
 * Family `era`, written by approvals; absent means 1.
 */
export const Era = Type.Object(
  {
    era: Type.Integer({ minimum: 1 }),
    raisedAt: Type.Integer(),
    reason: Type.String(),
    lost: Type.Optional(Type.Array(LostShard, { maxItems: 256 })),
    /** Who recently reported a loss of which shard and so raised it: no reporter is believed without limit. */
    raises: Type.Optional(
      Type.Array(
        Type.Object(
          { shard: Type.String({ pattern: ID_PATTERNS.shard }), by: Type.String({ maxLength: 100 }), at: Type.Integer() },
          closed,
        ),
        {
          maxItems: 512,
        },
      ),
    ),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** By approvals' own key, over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Era = Static<typeof Era>;

export const parseEra = parser(Era);

/** The era while the document does not exist. */
export const FIRST_ERA = 1;

/**
 * Whether writes of a shard that cannot be repeated safely wait. `seenAt`: this process has itself noticed a loss of the shard, of data that it had last
 * seen at that time; the writes wait until the document records this loss.
 */
export function isHeld(era: Era | null, shard: string, at: { readonly now: number; readonly seenAt?: number | undefined }): boolean {
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (at.seenAt !== undefined && (lost === undefined || lost.lostAt < at.seenAt)) return true;
  return lost !== undefined && (lost.resumeAt === undefined || at.now < lost.resumeAt);
}

/** How much the clock of a run's creator may differ from the store's. */
const SKEW_MS = 60_000;

/**
 * Whether the store may have forgotten what was done for a call: its shard lost writes, and the run is not certainly newer than the loss. In that case a
 * missing ledger row does not prove that nothing was sent.
 */
export function mayBeForgotten(era: Era | null, callId: string, now: number): boolean {
  const shard = shardOf(callId);
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (!lost) return false;
  const madeAt = mintedAt(callParts(callId).runId);
  return madeAt <= lost.lostAt + SKEW_MS || madeAt >= now + SKEW_MS;
}
