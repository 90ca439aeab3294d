import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { declared } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** The era, and the shards that lost writes. Times are milliseconds since 1970 by the store's clock. */
export const EraView = Type.Object(
  {
    era: Type.Integer(),
    /** The time of the last raise, or null if the era was never raised. */
    raisedAt: Type.Union([Type.Integer(), Type.Null()]),
    reason: Type.Union([Type.String(), Type.Null()]),
    lost: Type.Array(
      Type.Object(
        {
          shard: Type.String(),
          lostAt: Type.Integer(),
          /** True if a write on the shard must wait when it cannot be repeated safely. */
          held: Type.Boolean(),
          resumeAt: Type.Optional(Type.Integer()),
          resumedBy: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type EraView = Static<typeof EraView>;

/** The body of `POST /v1/era/raise`. `era` is the current number, so a repeated request does not raise the era again. */
export const EraRaise = Type.Object(
  {
    era: Type.Integer({ minimum: 1 }),
    reason: Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000-\\u001f]+$" }),
    /** True if the raise also holds every shard. */
    hold: Type.Optional(Type.Boolean()),
    /** True if the raise replaces a stored era that approvals did not sign. It then holds every shard. */
    replace: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type EraRaise = Static<typeof EraRaise>;
export const eraRaise = declared("EraRaise", EraRaise);

/** The body of `POST /v1/era/resume`. Without `shards`, the request resumes all held shards. */
export const EraResume = Type.Object(
  { shards: Type.Optional(Type.Array(Type.String({ pattern: ID_PATTERNS.shard }), { minItems: 1, maxItems: 256 })) },
  closed,
);
export type EraResume = Static<typeof EraResume>;
export const eraResume = declared("EraResume", EraResume);
