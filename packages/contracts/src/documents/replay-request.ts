import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { SeenCall } from "../messages.ts";
import { parser } from "../parse.ts";

/**
 * An operator's request to replay a dead letter. Only the first request has an effect, because a dead letter is replayed once. The gateway writes the
 * request to the family `replay`, and the worker of the toolset `operations` reads it. The worker reads the operator's name from this document, so no
 * message on the bus can forge it.
 */
export const ReplayRequest = Type.Object(
  {
    letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }),
    by: Type.String(),
    /** The hash of the request's Idempotency-Key. */
    keyHash: Type.Optional(Type.String()),
    /** The call that the agent has to look at, in its state at the time of the request. */
    call: Type.Optional(SeenCall),
    askedAt: Type.Integer(),
  },
  { additionalProperties: false },
);
export type ReplayRequest = Static<typeof ReplayRequest>;
export const parseReplayRequest = parser(ReplayRequest);
