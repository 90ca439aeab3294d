import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { SeenCall } from "../messages.ts";
import { parser } from "../parse.ts";

/**
 * An operator's request to replay a dead letter. The first request counts, because a dead letter is replayed once. Family `replay`, written by the gateway,
 * read by the worker of the toolset `operations`, so that a message on the bus cannot claim who asked.
 */
export const ReplayRequest = Type.Object(
  {
    letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }),
    by: Type.String(),
    /** The hash of the request's Idempotency-Key. */
    keyHash: Type.Optional(Type.String()),
    /** The call to look at, in its state at that time. */
    call: Type.Optional(SeenCall),
    askedAt: Type.Integer(),
  },
  { additionalProperties: false },
);
export type ReplayRequest = Static<typeof ReplayRequest>;
export const parseReplayRequest = parser(ReplayRequest);
