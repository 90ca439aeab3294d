import type { JsonObject } from "./json.ts";
import { Type, type Static } from "./schema.ts";

const closed = { additionalProperties: false } as const;
const Hash = Type.String({ pattern: "^sha256-[A-Za-z0-9_-]{43}$" });

/** What a write will change, as its worker computed it: the affected part of the target now, and after the write. */
export const Plan = Type.Object(
  { before: Type.Unsafe<JsonObject>({ type: "object" }), after: Type.Unsafe<JsonObject>({ type: "object" }) },
  closed,
);
export type Plan = Readonly<Static<typeof Plan>>;

/**
 * The size of the largest plan, in bytes of canonical JSON. A plan must be short, because a person has to read it and an approval keeps up to two
 * plans.
 */
export const MAX_PLAN_BYTES = 4096;

/** How often a target may change between approval and execution before approvals ends the write. */
export const MAX_DRIFTS = 3;

/**
 * Identifies one plan of an approval. Rounds count from 1, and each new plan has the next one. So a decision about an earlier plan never counts for a
 * later plan.
 */
export const PlanRef = Type.Object({ round: Type.Integer({ minimum: 1, maximum: 64 }), hash: Hash }, closed);
export type PlanRef = Static<typeof PlanRef>;
