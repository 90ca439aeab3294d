import { type Static, Type } from "../schema.ts";
import { callParts, ID_PATTERNS, mintedAt, shardOf } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** A shard that lost writes which its store had acknowledged. Times are the store's, in milliseconds since 1970. */
export const LostShard = Type.Object(
  {
    shard: Type.String({ pattern: ID_PATTERNS.shard }),
    /** When the era was raised for it: what somebody saw up to then and misses now is of this loss. */
    lostAt: Type.Integer({ minimum: 0 }),
    /** From when on its writes run again; absent: when an operator says so. */
    resumeAt: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Who resumed it: an operator, or `policy`. */
    resumedBy: Type.Optional(Type.String()),
  },
  closed,
);
export type LostShard = Static<typeof LostShard>;

/**
 * Raised when the store lost writes: grants of another era are void, and in the shards that lost some no write begins that cannot be repeated
 * safely. Family `era`, written by approvals; absent means 1.
 */
export const Era = Type.Object(
  {
    era: Type.Integer({ minimum: 1 }),
    raisedAt: Type.Integer(),
    reason: Type.String(),
    lost: Type.Optional(Type.Array(LostShard, { maxItems: 256 })),
    /** On whose word it was raised for which shard, lately: none is believed without end. */
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
    /** By approvals' own key, over all the rest. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Era = Static<typeof Era>;

export const parseEra = parser(Era);

/** The era while there is no document. */
export const FIRST_ERA = 1;

/**
 * Whether writes of a shard that cannot be repeated safely wait. `seenAt`: this process has itself noticed a loss of the shard, of what it had
 * last seen then; they wait until the document knows of it.
 */
export function isHeld(era: Era | null, shard: string, at: { readonly now: number; readonly seenAt?: number | undefined }): boolean {
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (at.seenAt !== undefined && (lost === undefined || lost.lostAt < at.seenAt)) return true;
  return lost !== undefined && (lost.resumeAt === undefined || at.now < lost.resumeAt);
}

/** How far the clock of whoever made a run may be from the store's. */
const SKEW_MS = 60_000;

/**
 * Whether the store may have forgotten what was done for a call: its shard lost writes, and its run is not certainly younger than that. Then no row
 * in a ledger is no proof that nothing was sent.
 */
export function mayBeForgotten(era: Era | null, callId: string, now: number): boolean {
  const shard = shardOf(callId);
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (!lost) return false;
  const madeAt = mintedAt(callParts(callId).runId);
  return madeAt <= lost.lostAt + SKEW_MS || madeAt >= now + SKEW_MS;
}
