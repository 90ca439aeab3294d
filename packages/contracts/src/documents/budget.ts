import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;
const Amount = Type.Integer({ minimum: 0 });
const Ceiling = Type.Union([Amount, Type.Null()]);

/**
 * What is used or reserved of one budget: by a run with its sub-runs, or by a principal or a tenant in one UTC day. Family `budget`, written by the agent;
 * expires some time after the last use.
 */
export const BudgetWindow = Type.Object(
  {
    tokens: Amount,
    /** Millionths of a US dollar. */
    microUsd: Amount,
    toolCalls: Amount,
    /** The ceilings as they were at the last use, for display; null: none. */
    ceilings: Type.Object({ tokens: Ceiling, microUsd: Ceiling, toolCalls: Ceiling }, closed),
  },
  closed,
);
export type BudgetWindow = Static<typeof BudgetWindow>;

/** What one model call has reserved of a budget, until it is settled: the most that the call may use. Family `budget`, written by the agent. */
export const BudgetReservation = Type.Object({ tokens: Amount, microUsd: Amount, toolCalls: Amount }, closed);
export type BudgetReservation = Static<typeof BudgetReservation>;

export const parseBudgetWindow = parser(BudgetWindow);
export const parseBudgetReservation = parser(BudgetReservation);
