import { type Static, Type } from "./schema.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A message that its queue gave up. */
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
    /** How often the bus delivered it. */
    deliveries: Type.Integer(),
    /** Earlier tries that the process which gave it up saw itself, oldest first; tries by other processes are missing. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    /** The message as it was, without its grant and its call secret. */
    message: DeadMessage,
    /** True if it did not fit: long texts are truncated and the rest is left out. */
    cut: Type.Boolean(),
  },
  closed,
);
export type DeadLetter = Static<typeof DeadLetter>;
export const parseDeadLetter = parser(DeadLetter);
