import { type Static, Type } from "../schema.ts";
import { PublicJwk } from "../jwks.ts";
import { parser } from "../parse.ts";
import { MAX_EXAMPLE_CHARS } from "../example-arguments.ts";
import { TIERS, ToolDefinition } from "../tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** A tool as its workers registered it; it outlives them. Family `registry.<toolset>`, written by workers of that toolset. */
export const Registration = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    registeredAt: Type.Integer(),
    /** When a worker that serves it last sent a heartbeat for it. */
    lastSeenAt: Type.Integer(),
    /** When the last of its workers reported that it stops; it no longer holds if it is older than `lastSeenAt`. */
    leftAt: Type.Optional(Type.Integer()),
    /** Its workers may be scaled to zero: it is not a fault if none is alive, and a call wakes one. */
    scalesToZero: Type.Optional(Type.Literal(true)),
    /** Its workers are alive and report that it cannot be used: since when, and why. */
    unavailable: Type.Optional(Type.Object({ since: Type.Integer(), reason: Type.String({ maxLength: 300 }) }, closed)),
    /** Arguments that work at this moment, as JSON text, if its workers know some: for people who want to try it. Not part of the definition. */
    example: Type.Optional(Type.String({ maxLength: MAX_EXAMPLE_CHARS })),
    /** The public half of the key that its workers sign receipts with, as they report it: it counts when an operator pins it with the tool. */
    receiptKey: Type.Optional(PublicJwk),
  },
  closed,
);
export type Registration = Static<typeof Registration>;

/** How often a worker sends a heartbeat, and how long one counts: two may be missed. */
export const SEEN_EVERY_MS = 30_000;
export const SEEN_FOR_MS = 3 * SEEN_EVERY_MS;

/**
 * Registered and available are two facts. A tool is `ready` if a worker was seen lately; `asleep` if none was: its workers may be scaled to zero, and a
 * call waits for one; `unavailable` if a worker is alive and reports that the tool cannot be used.
 */
export const AVAILABILITIES = ["ready", "asleep", "unavailable"] as const;
export type Availability = (typeof AVAILABILITIES)[number];

export function availabilityOf(registration: Registration, now: number): Availability {
  // A report of a worker that is gone does not count any more.
  if (goneSince(registration, now) !== null) return "asleep";
  return registration.unavailable ? "unavailable" : "ready";
}

/** Since when no worker serves it, as far as is known: when its last one stopped, or was last seen. Null while one may be alive. */
export function goneSince({ lastSeenAt, leftAt }: Pick<Registration, "lastSeenAt" | "leftAt">, now: number): number | null {
  if (leftAt !== undefined && leftAt >= lastSeenAt) return leftAt;
  return now - lastSeenAt > SEEN_FOR_MS ? lastSeenAt : null;
}

/**
 * The replicas of a toolset, each with the time of its last heartbeat. It shows whether a stopping replica is the last one. Family `registry.<toolset>`,
 * written by workers of that toolset.
 */
export const Replicas = Type.Object({ replicas: Type.Record(Type.String(), Type.Integer()) }, closed);
export type Replicas = Static<typeof Replicas>;

/**
 * A definition that was replaced under its version, or unregistered, by its hash: runs that began with it continue with it. Family `registry.<toolset>`,
 * written by workers of that toolset in the commit that replaces it; kept as long as a run can last.
 */
export const ReplacedDefinition = Type.Object(
  { toolset: Type.String(), definition: ToolDefinition, hash: Type.String(), replacedAt: Type.Integer() },
  closed,
);
export type ReplacedDefinition = Static<typeof ReplacedDefinition>;
export const REPLACED_KEPT_MS = 30 * 86_400_000;

/**
 * The definition of a write that approvals grants, and the toolset that it belongs to, which is the one that was pinned first. Family `pin`, written by
 * approvals.
 */
export const Pin = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    enabled: Type.Boolean(),
    pinnedAt: Type.Integer(),
    pinnedBy: Type.String(),
    /** The minimum tier of its calls, if an operator raised it above the definition's own. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** The public keys that verify the toolset's receipts: approvals vouches for them together with the definition. */
    receiptKeys: Type.Optional(Type.Array(PublicJwk, { maxItems: 8 })),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** By approvals' own key, over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Pin = Static<typeof Pin>;

export const parseRegistration = parser(Registration);
export const parseReplicas = parser(Replicas);
export const parseReplacedDefinition = parser(ReplacedDefinition);
export const parsePin = parser(Pin);
