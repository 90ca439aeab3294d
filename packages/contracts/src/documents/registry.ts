import { type Static, Type } from "../schema.ts";
import { PublicJwk } from "../jwks.ts";
import { parser } from "../parse.ts";
import { TIERS, ToolDefinition } from "../tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** A tool as its workers registered it; outlives them. Family `registry.<toolset>`, written by workers of that toolset. */
export const Registration = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    registeredAt: Type.Integer(),
    /** When a worker that serves it last said so. */
    lastSeenAt: Type.Integer(),
    /** When the last of its workers said that it stops; what is older than `lastSeenAt` is over. */
    leftAt: Type.Optional(Type.Integer()),
    /** Its workers may be scaled to zero: that none lives is no fault, and a call wakes one. */
    scalesToZero: Type.Optional(Type.Literal(true)),
    /** Its workers live and say that it cannot be used: since when, and why. */
    unavailable: Type.Optional(Type.Object({ since: Type.Integer(), reason: Type.String({ maxLength: 300 }) }, closed)),
    /** The public half of the key that its workers sign receipts with, as they say: it counts when an operator pins it with the tool. */
    receiptKey: Type.Optional(PublicJwk),
  },
  closed,
);
export type Registration = Static<typeof Registration>;

/** How often a worker says that it lives, and how long that counts: two signs of life may be missed. */
export const SEEN_EVERY_MS = 30_000;
export const SEEN_FOR_MS = 3 * SEEN_EVERY_MS;

/**
 * Registered and available are two facts. A tool is `ready` when a worker was seen lately; `asleep` when none was: its workers may be scaled to
 * zero, and a call waits for one; `unavailable` when a worker lives and says that the tool cannot be used.
 */
export const AVAILABILITIES = ["ready", "asleep", "unavailable"] as const;
export type Availability = (typeof AVAILABILITIES)[number];

export function availabilityOf(registration: Registration, now: number): Availability {
  // What a worker said that has gone since is no news any more.
  if (goneSince(registration, now) !== null) return "asleep";
  return registration.unavailable ? "unavailable" : "ready";
}

/** Since when no worker serves it, as far as is known: when its last one stopped, or was last seen. Null while one may live. */
export function goneSince({ lastSeenAt, leftAt }: Pick<Registration, "lastSeenAt" | "leftAt">, now: number): number | null {
  if (leftAt !== undefined && leftAt >= lastSeenAt) return leftAt;
  return now - lastSeenAt > SEEN_FOR_MS ? lastSeenAt : null;
}

/**
 * The replicas of a toolset, each with when it last said that it lives: whether one that stops is the last. Family `registry.<toolset>`, written by workers of
 * that toolset.
 */
export const Replicas = Type.Object({ replicas: Type.Record(Type.String(), Type.Integer()) }, closed);
export type Replicas = Static<typeof Replicas>;

/**
 * A definition that was replaced under its version, or unregistered, by its hash: what a run that began with it continues with. Family
 * `registry.<toolset>`, written by workers of that toolset in the commit that replaces it; kept as long as a run can last.
 */
export const ReplacedDefinition = Type.Object(
  { toolset: Type.String(), definition: ToolDefinition, hash: Type.String(), replacedAt: Type.Integer() },
  closed,
);
export type ReplacedDefinition = Static<typeof ReplacedDefinition>;
export const REPLACED_KEPT_MS = 30 * 86_400_000;

/**
 * The definition of a write that approvals grants, and the toolset it belongs to: the first that was pinned. Family `pin`, written by approvals.
 */
export const Pin = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    enabled: Type.Boolean(),
    pinnedAt: Type.Integer(),
    pinnedBy: Type.String(),
    /** What its calls take at least, where an operator raised that above the definition's own tier. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** The public keys that the toolset's receipts are verified with: approvals vouches for them with the definition. */
    receiptKeys: Type.Optional(Type.Array(PublicJwk, { maxItems: 8 })),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** By approvals' own key, over all the rest. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Pin = Static<typeof Pin>;

export const parseRegistration = parser(Registration);
export const parseReplicas = parser(Replicas);
export const parseReplacedDefinition = parser(ReplacedDefinition);
export const parsePin = parser(Pin);
