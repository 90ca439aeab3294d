import { type Static, Type } from "../schema.ts";
import { callParts, ID_PATTERNS, mintedAt, shardOf } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** A shard that lost writes which its store had acknowledged. Times are milliseconds since 1970 by the store's clock. */
export const LostShard = Type.Object(
  {
    shard: Type.String({ pattern: ID_PATTERNS.shard }),
    /** The time when the era was raised for the shard. If data is missing that a process saw before this time, this loss removed it. */
    lostAt: Type.Integer({ minimum: 0 }),
    /** The time when the writes of the shard resume. It is absent if they wait until an operator resumes them. */
    resumeAt: Type.Optional(Type.Integer({ minimum: 0 })),
    /** The operator who resumed the writes, or `policy`. */
    resumedBy: Type.Optional(Type.String()),
  },
  closed,
);
export type LostShard = Static<typeof LostShard>;

/**
 * The era. Approvals raises it after the store has lost writes. Grants of another era are void. In the shards that lost writes, only writes that can
 * be repeated safely may begin. Approvals writes it to the family `era`. Without this document the era is 1.
 */
export const Era = Type.Object(
  {
    era: Type.Integer({ minimum: 1 }),
    raisedAt: Type.Integer(),
    reason: Type.String(),
    lost: Type.Optional(Type.Array(LostShard, { maxItems: 256 })),
    /** The recent raises, each with the shard and the sender of the report. Approvals limits how often one sender may raise the era. */
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
    /** The signature by approvals' own key over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Era = Static<typeof Era>;

export const parseEra = parser(Era);

/** The era if the document does not exist. */
export const FIRST_ERA = 1;

/**
 * Returns whether writes of a shard that cannot be repeated safely must wait. `seenAt` is set if this process has noticed a loss in the shard. It is
 * the time at which the process had last seen the lost data. These writes then wait until the document records this loss.
 */
export function isHeld(era: Era | null, shard: string, at: { readonly now: number; readonly seenAt?: number | undefined }): boolean {
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (at.seenAt !== undefined && (lost === undefined || lost.lostAt < at.seenAt)) return true;
  return lost !== undefined && (lost.resumeAt === undefined || at.now < lost.resumeAt);
}

/** The largest allowed difference between the clock of a run's creator and the store's clock, in milliseconds. */
const SKEW_MS = 60_000;

/**
 * Returns whether the store may have lost the records of a call. That is possible if the call's shard lost writes and the run is not certainly newer
 * than the loss. A missing ledger row then does not prove that nothing was sent.
 */
export function mayBeForgotten(era: Era | null, callId: string, now: number): boolean {
  const shard = shardOf(callId);
  const lost = era?.lost?.find((one) => one.shard === shard);
  if (!lost) return false;
  const madeAt = mintedAt(callParts(callId).runId);
  return madeAt <= lost.lostAt + SKEW_MS || madeAt >= now + SKEW_MS;
}
