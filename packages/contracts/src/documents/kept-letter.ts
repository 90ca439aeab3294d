import { type Static, Type } from "../schema.ts";
import { DeadMessage } from "../dead-letter.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * What a replay of a dead letter does. `publish`: the message goes to its queue again. `call`: the agent looks at the call at once, because the message
 * lost something it needs (a grant, a call secret) or was too long to keep. `none`: what is left of it is of no use.
 */
export const ReplayBy = Type.Union([
  Type.Object({ kind: Type.Literal("publish") }, closed),
  Type.Object({ kind: Type.Literal("call"), callId: Type.String({ pattern: ID_PATTERNS.call }) }, closed),
  Type.Object({ kind: Type.Literal("none"), why: Type.String() }, closed),
]);
export type ReplayBy = Static<typeof ReplayBy>;

/** A dead letter as it is kept for operators, with the store's times. Family `dead`, written by the worker of the toolset `operations`. */
export const KeptLetter = Type.Object(
  {
    letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }),
    /** The topic whose queue gave the message up. */
    queue: Type.String(),
    reason: Type.String(),
    /** How often the message was delivered; 0 if unknown. */
    deliveries: Type.Integer(),
    /** Earlier tries, oldest first, as far as they are known. */
    history: Type.Array(Type.Object({ at: Type.Integer(), reason: Type.String() }, closed)),
    /** Without its grant and its call secret. */
    message: DeadMessage,
    /** True if long texts of the message are truncated. */
    cut: Type.Boolean(),
    /** The dead letter did not match its own schema: `message` is what could be read of it. */
    unreadable: Type.Boolean(),
    /** The owner of the run that it names; null if it names no known run. */
    tenant: Type.Union([Type.String(), Type.Null()]),
    runId: Type.Optional(Type.String({ pattern: ID_PATTERNS.run })),
    callId: Type.Optional(Type.String({ pattern: ID_PATTERNS.call })),
    /** The dead letter whose replay became this one. */
    former: Type.Optional(Type.String({ pattern: ID_PATTERNS.deadLetter })),
    replayBy: ReplayBy,
    keptAt: Type.Integer(),
    expiresAt: Type.Integer(),
    /** `messageId`: of the published message. */
    replayed: Type.Union([Type.Object({ at: Type.Integer(), by: Type.String(), messageId: Type.String() }, closed), Type.Null()]),
  },
  closed,
);
export type KeptLetter = Static<typeof KeptLetter>;
export const parseKeptLetter = parser(KeptLetter);

/** The member of an index of dead letters. It includes the queue, so that it can be removed after its document has expired. */
export function indexedLetter({ letterId, queue }: Pick<KeptLetter, "letterId" | "queue">): string {
  return `${letterId}@${queue}`;
}

/** The dead letter and the queue that an index member names. */
export function letterOfMember(member: string): Pick<KeptLetter, "letterId" | "queue"> {
  const [letterId = "", ...queue] = member.split("@");
  return { letterId, queue: queue.join("@") };
}
