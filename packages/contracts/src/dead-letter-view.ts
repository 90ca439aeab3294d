import { type Static, Type } from "./schema.ts";
import { DeadMessage } from "./dead-letter.ts";

const closed = { additionalProperties: false } as const;

/**
 * The state of a dead letter. It is `open` until somebody asks for its replay or dismisses it. It is `replaying` until the replay is done, and
 * `replayed` after that. It is `dismissed` if an operator has nothing left to do about it. A dismissed one may still be replayed.
 */
export const LETTER_STATES = ["open", "replaying", "replayed", "dismissed"] as const;
export type LetterState = (typeof LETTER_STATES)[number];

const summaryFields = {
  id: Type.String(),
  queue: Type.String(),
  state: Type.Enum([...LETTER_STATES]),
  /** The reason why the message was given up. */
  reason: Type.String(),
  deliveries: Type.Integer(),
  messageId: Type.String(),
  messageType: Type.String(),
  runId: Type.Optional(Type.String()),
  callId: Type.Optional(Type.String()),
  /** The id of the earlier dead letter whose replay failed and became this one. */
  former: Type.Optional(Type.String()),
  keptAt: Type.Integer(),
  expiresAt: Type.Integer(),
  /** A gateway of an older version has no `dismiss`. */
  links: Type.Object({ self: Type.String(), replay: Type.String(), dismiss: Type.Optional(Type.String()) }, closed),
};

/** A dead letter in a list. Times are milliseconds since 1970 by the store's clock. */
export const DeadLetterSummary = Type.Object(summaryFields, closed);
export type DeadLetterSummary = Static<typeof DeadLetterSummary>;

/** Everything that an operator sees of a dead letter. Text that looks like a credential is redacted, and proofs between services are left out. */
export const DeadLetterView = Type.Object(
  {
    ...summaryFields,
    /** The known earlier tries, oldest first. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    message: DeadMessage,
    /** True if long texts of the message are truncated. */
    cut: Type.Boolean(),
    /**
     * The effect of a replay. `publish` sends the message again. `call` makes the agent look at the call at once. `none` means that the dead letter
     * cannot be replayed.
     */
    replayBy: Type.Enum(["publish", "call", "none"]),
    /** The reason why a replay would have no effect now. Either nothing is left of the message, or its call already has its result. */
    whyNot: Type.Optional(Type.String()),
    /** The operator who dismissed it, and when. */
    dismissed: Type.Optional(Type.Object({ by: Type.String(), at: Type.Integer() }, closed)),
    /** The operator who asked for the replay. `at` and `messageId` are set when the replay is done. */
    replay: Type.Optional(
      Type.Object(
        {
          by: Type.String(),
          askedAt: Type.Optional(Type.Integer()),
          at: Type.Optional(Type.Integer()),
          messageId: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type DeadLetterView = Static<typeof DeadLetterView>;

/** A page of dead letters, newest first. */
export const DeadLetterPage = Type.Object({ deadLetters: Type.Array(DeadLetterSummary), cursor: Type.Optional(Type.String()) }, closed);
export type DeadLetterPage = Static<typeof DeadLetterPage>;
