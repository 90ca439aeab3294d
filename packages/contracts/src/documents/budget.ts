import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;
const Amount = Type.Integer({ minimum: 0 });
const Ceiling = Type.Union([Amount, Type.Null()]);

/**
 * The used and reserved parts of one budget. The budget belongs to a run with its sub-runs, or to a principal or a tenant for one UTC day. The agent
 * writes it to the family `budget`, and it expires some time after the last use.
 */
export const BudgetWindow = Type.Object(
  {
    tokens: Amount,
    /** The amount in millionths of a US dollar. */
    microUsd: Amount,
    toolCalls: Amount,
    /** The ceilings at the last use, for display. Null means that there is no ceiling. */
    ceilings: Type.Object({ tokens: Ceiling, microUsd: Ceiling, toolCalls: Ceiling }, closed),
  },
  closed,
);
export type BudgetWindow = Static<typeof BudgetWindow>;

/**
 * The part of a budget that one model call reserves until the agent settles the call. The reservation is the maximum that the call may use. The agent
 * writes it to the family `budget`.
 */
export const BudgetReservation = Type.Object({ tokens: Amount, microUsd: Amount, toolCalls: Amount }, closed);
export type BudgetReservation = Static<typeof BudgetReservation>;

export const parseBudgetWindow = parser(BudgetWindow);
export const parseBudgetReservation = parser(BudgetReservation);
