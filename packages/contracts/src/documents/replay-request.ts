import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { SeenCall } from "../messages.ts";
import { parser } from "../parse.ts";

/**
 * That an operator asked for a dead letter to be replayed: the first who did, because a letter is replayed once. Family `replay`, written by the
 * gateway, read by the worker of the toolset `operations`, so that a message on the bus cannot say who asked.
 */
export const ReplayRequest = Type.Object(
  {
    letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }),
    by: Type.String(),
    /** The request's Idempotency-Key, hashed. */
    keyHash: Type.Optional(Type.String()),
    /** The call that is to be looked at, as it was then. */
    call: Type.Optional(SeenCall),
    askedAt: Type.Integer(),
  },
  { additionalProperties: false },
);
export type ReplayRequest = Static<typeof ReplayRequest>;
export const parseReplayRequest = parser(ReplayRequest);
