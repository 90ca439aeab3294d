import { type Static, Type } from "../schema.ts";
import { PublicJwk } from "../jwks.ts";
import { parser } from "../parse.ts";
import { MAX_EXAMPLE_CHARS } from "../example-arguments.ts";
import { TIERS, ToolDefinition } from "../tool-definition.ts";
import { preferredVersion } from "../tool-version.ts";

const closed = { additionalProperties: false } as const;

/**
 * A tool as its workers registered it. The registration remains when they stop. Workers of the toolset write it to the family `registry.<toolset>`.
 */
export const Registration = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    registeredAt: Type.Integer(),
    /** The time of the last heartbeat of a worker that serves the tool. */
    lastSeenAt: Type.Integer(),
    /** The time when the last worker of the tool reported that it stops. The report is outdated if it is older than `lastSeenAt`. */
    leftAt: Type.Optional(Type.Integer()),
    /** True if the workers may be scaled to zero. The absence of a living worker is then no fault, and a call wakes one. */
    scalesToZero: Type.Optional(Type.Literal(true)),
    /** The time and the reason, if living workers report that the tool cannot be used. */
    unavailable: Type.Optional(Type.Object({ since: Type.Integer(), reason: Type.String({ maxLength: 300 }) }, closed)),
    /**
     * Arguments that work at this moment, as JSON text, if the workers know some. The example helps people who want to try the tool. The example is
     * not part of the definition.
     */
    example: Type.Optional(Type.String({ maxLength: MAX_EXAMPLE_CHARS })),
    /**
     * The public half of the key with which the workers sign receipts, as the workers report it. Other services use the key only if approvals has
     * pinned it with the tool, because anybody with access to the store could have written it here.
     */
    receiptKey: Type.Optional(PublicJwk),
  },
  closed,
);
export type Registration = Static<typeof Registration>;

/** The interval between two heartbeats of a worker, and the time for which one heartbeat is valid. A worker may miss two heartbeats. */
export const SEEN_EVERY_MS = 30_000;
export const SEEN_FOR_MS = 3 * SEEN_EVERY_MS;

/**
 * The availability of a registered tool. It is `ready` if a worker was seen recently. It is `unavailable` if a worker is alive but reports that the
 * tool cannot be used. Otherwise it is `asleep`, and a call waits for a worker, because the workers may be scaled to zero.
 */
export const AVAILABILITIES = ["ready", "asleep", "unavailable"] as const;
export type Availability = (typeof AVAILABILITIES)[number];

export function availabilityOf(registration: Registration, now: number): Availability {
  // A report is outdated once its worker is gone.
  if (goneSince(registration, now) !== null) return "asleep";
  return registration.unavailable ? "unavailable" : "ready";
}

/**
 * Returns the time since which no worker serves the tool. That is the time at which the last worker stopped or was last seen. Returns null while a
 * worker may be alive.
 */
export function goneSince({ lastSeenAt, leftAt }: Pick<Registration, "lastSeenAt" | "leftAt">, now: number): number | null {
  if (leftAt !== undefined && leftAt >= lastSeenAt) return leftAt;
  return now - lastSeenAt > SEEN_FOR_MS ? lastSeenAt : null;
}

/**
 * Returns the version of a tool that a new run gets, from registrations of one name. It is the newest version that somebody serves. If nobody serves any of
 * them, it is the newest one. So after a rollback of the workers, new runs get the version that they serve, although the newer one stays registered.
 */
export function preferredRegistration(versions: readonly Registration[], now: number): Registration | undefined {
  const served = versions.filter((one) => one.scalesToZero === true || goneSince(one, now) === null);
  return preferredVersion(served.length > 0 ? served : versions, ({ definition }) => definition);
}

/**
 * The replicas of a toolset, each with the time of its last heartbeat. A replica that stops can see whether it is the last one. Workers of the
 * toolset write the document to the family `registry.<toolset>`.
 */
export const Replicas = Type.Object({ replicas: Type.Record(Type.String(), Type.Integer()) }, closed);
export type Replicas = Static<typeof Replicas>;

/**
 * A definition that was replaced under its version or unregistered. Runs that began with the definition continue with it. The commit that replaces
 * the definition stores it under its hash in the family `registry.<toolset>`. The store keeps it as long as a run can last.
 */
export const ReplacedDefinition = Type.Object(
  { toolset: Type.String(), definition: ToolDefinition, hash: Type.String(), replacedAt: Type.Integer() },
  closed,
);
export type ReplacedDefinition = Static<typeof ReplacedDefinition>;
export const REPLACED_KEPT_MS = 30 * 86_400_000;

/**
 * The definition of a write that approvals grants, with its toolset. The toolset is the one that was pinned first. Approvals writes the pin to the
 * family `pin`.
 */
export const Pin = Type.Object(
  {
    toolset: Type.String(),
    definition: ToolDefinition,
    hash: Type.String(),
    enabled: Type.Boolean(),
    pinnedAt: Type.Integer(),
    pinnedBy: Type.String(),
    /** The minimum tier of the tool's calls, if an operator raised it above the definition's own tier. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** The public keys that verify the toolset's receipts. Approvals vouches for them together with the definition. */
    receiptKeys: Type.Optional(Type.Array(PublicJwk, { maxItems: 8 })),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The signature by approvals' own key over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type Pin = Static<typeof Pin>;

export const parseRegistration = parser(Registration);
export const parseReplicas = parser(Replicas);
export const parseReplacedDefinition = parser(ReplacedDefinition);
export const parsePin = parser(Pin);
