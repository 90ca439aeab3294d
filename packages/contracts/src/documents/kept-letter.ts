import { type Static, Type } from "../schema.ts";
import { DeadMessage } from "../dead-letter.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * The effect of a replay of a dead letter. `publish` sends the message to its queue again. `call` makes the agent look at the call at once. The
 * replay is a `call` if the message lost something that it needs (a grant, a call secret), or was too long to keep. `none` means that no replay is
 * possible, because the rest of the message is useless.
 */
export const ReplayBy = Type.Union([
  Type.Object({ kind: Type.Literal("publish") }, closed),
  Type.Object({ kind: Type.Literal("call"), callId: Type.String({ pattern: ID_PATTERNS.call }) }, closed),
  Type.Object({ kind: Type.Literal("none"), why: Type.String() }, closed),
]);
export type ReplayBy = Static<typeof ReplayBy>;

/**
 * A dead letter that is kept for operators. Its times are from the store's clock. The worker of the toolset `operations` writes it to the family
 * `dead`.
 */
export const KeptLetter = Type.Object(
  {
    letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }),
    /** The topic whose queue gave up the message. */
    queue: Type.String(),
    reason: Type.String(),
    /** The number of times that the message was delivered, or 0 if the number is unknown. */
    deliveries: Type.Integer(),
    /** The known earlier tries, oldest first. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    /** The message without its grant and its call secret. */
    message: DeadMessage,
    /** True if long texts of the message are truncated. */
    cut: Type.Boolean(),
    /** True if the dead letter did not match its own schema. `message` is then the received dead letter itself. */
    unreadable: Type.Boolean(),
    /** The owner of the run that the dead letter names, or null if it names no known run. */
    tenant: Type.Union([Type.String(), Type.Null()]),
    runId: Type.Optional(Type.String({ pattern: ID_PATTERNS.run })),
    callId: Type.Optional(Type.String({ pattern: ID_PATTERNS.call })),
    /** The id of the earlier dead letter whose replay failed and became this one. */
    former: Type.Optional(Type.String({ pattern: ID_PATTERNS.deadLetter })),
    replayBy: ReplayBy,
    keptAt: Type.Integer(),
    expiresAt: Type.Integer(),
    /** The record of the replay, or null until the replay is done. `messageId` is the id of the published message. */
    replayed: Type.Union([Type.Object({ at: Type.Integer(), by: Type.String(), messageId: Type.String() }, closed), Type.Null()]),
  },
  closed,
);
export type KeptLetter = Static<typeof KeptLetter>;
export const parseKeptLetter = parser(KeptLetter);

/** Returns the member of a dead letter in an index. It includes the queue, so that the member can be removed after the document has expired. */
export function indexedLetter({ letterId, queue }: Pick<KeptLetter, "letterId" | "queue">): string {
  return `${letterId}@${queue}`;
}

/** Returns the dead letter and the queue that an index member names. */
export function letterOfMember(member: string): Pick<KeptLetter, "letterId" | "queue"> {
  const [letterId = "", ...queue] = member.split("@");
  return { letterId, queue: queue.join("@") };
}
