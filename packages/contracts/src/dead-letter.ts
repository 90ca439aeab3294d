import { type Static, Type } from "./schema.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A message that was given up. */
export const DeadMessage = Type.Object(
  {
    id: Type.String(),
    topic: Type.String(),
    type: Type.String(),
    source: Type.String(),
    time: Type.String(),
    correlationId: Type.Optional(Type.String()),
    replyTo: Type.Optional(Type.String()),
    attributes: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
  },
  closed,
);
export type DeadMessage = Static<typeof DeadMessage>;

/** Body of `dead.<queue>`, type `toolbus.dead_letter`: a message that its queue gave up, and why. */
export const DeadLetter = Type.Object(
  {
    /** The topic whose queue held it. */
    queue: Type.String(),
    reason: Type.String(),
    /** How often it was delivered. */
    deliveries: Type.Integer(),
    /** Earlier tries that the process which gave it up saw itself, oldest first; tries of other processes are missing. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    /** As it was, without its grant and its call secret. */
    message: DeadMessage,
    /** True when it did not fit: long texts are cut and the rest is gone. */
    cut: Type.Boolean(),
  },
  closed,
);
export type DeadLetter = Static<typeof DeadLetter>;
export const parseDeadLetter = parser(DeadLetter);
