import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";
import { type Static, Type } from "../schema.ts";

/**
 * A profile with all of its parts, under its hash. Runs name this hash, so that a later replay has the prompt and the limits with which they began.
 * Each agent writes its profiles to the family `profile` when it starts, and again from time to time.
 */
export const ProfileText = Type.Object(
  {
    hash: Type.String({ maxLength: 64 }),
    /** The profile. Null if it is too large for a document. */
    profile: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
    at: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type ProfileText = Static<typeof ProfileText>;

export const parseProfileText = parser(ProfileText);
