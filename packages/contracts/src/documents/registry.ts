import { type Static, Type } from "typebox";
import { parser } from "../parse.ts";
import { ToolDefinition } from "../tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** A tool as its workers registered it; outlives them. Family `registry.<toolset>`, written by workers of that toolset. */
export const Registration = Type.Object(
  { toolset: Type.String(), definition: ToolDefinition, hash: Type.String(), registeredAt: Type.Integer(), lastSeenAt: Type.Integer() },
  closed,
);
export type Registration = Static<typeof Registration>;

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
  },
  closed,
);
export type Pin = Static<typeof Pin>;

/** Raised when the store lost writes: grants of an older era are void. Family `era`, written by approvals; absent means 1. */
export const Era = Type.Object({ era: Type.Integer({ minimum: 1 }), raisedAt: Type.Integer(), reason: Type.String() }, closed);
export type Era = Static<typeof Era>;

export const parseRegistration = parser(Registration);
export const parsePin = parser(Pin);
export const parseEra = parser(Era);
