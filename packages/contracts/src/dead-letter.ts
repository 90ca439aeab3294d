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

/** The body of `dead.<queue>`, type `toolbus.dead_letter`. It contains a message that its queue gave up, and the reason. */
export const DeadLetter = Type.Object(
  {
    /** The topic whose queue contained the message. */
    queue: Type.String(),
    reason: Type.String(),
    /** The number of times that the bus delivered the message. */
    deliveries: Type.Integer(),
    /** The earlier tries in the process that gave up the message, oldest first. Tries in other processes are missing. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    /** The original message without its grant and its call secret. */
    message: DeadMessage,
    /** True if the message did not fit. Its long texts are truncated, and some of its attributes and earlier tries may be missing. */
    cut: Type.Boolean(),
  },
  closed,
);
export type DeadLetter = Static<typeof DeadLetter>;
export const parseDeadLetter = parser(DeadLetter);
