import { counted } from "@toolbus/contracts";
import type { Effects } from "@toolbus/example-orders-shop";

/** A call of the story: the outcome that Toolbus reports, and the effect that the shop's database shows. */
export interface ToldCall {
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  /** The tier of a write. Null for a read or a compute. */
  readonly tier: string | null;
  /** The people who decided. Empty if policy granted the call, or if it needed no grant. */
  readonly decidedBy: readonly string[];
  /** The ids of the rows that the call added to the shop's database. */
  readonly rows: readonly string[];
}

/** Returns the ids of the rows that are only in the second state. */
export function rowsBetween(before: Effects, after: Effects): string[] {
  const known = new Set(idsOf(before));
  return idsOf(after).filter((id) => !known.has(id));
}

/** Returns one sentence for each call whose effect in the database does not fit its outcome. */
export function faultsOf(calls: readonly ToldCall[]): string[] {
  return calls.flatMap((call) =>
    fits(call) ? [] : [`${call.tool} ended as ${call.status}, but the shop's database has ${counted(call.rows.length, "new row")}.`],
  );
}

/** Returns what the database shows for a call, in words. */
export function rowsInWords({ tier, status, rows }: ToldCall): string {
  if (tier === null) return "no row: it changes nothing";
  if (rows.length === 0) return "no row";
  return `${rows.length === 1 ? "one row" : `${rows.length} rows`}: ${rows.join(", ")}${status === "outcome_unknown" ? ", which Toolbus does not claim to know" : ""}`;
}

function fits({ tier, status, rows }: ToldCall): boolean {
  if (tier !== null && status === "ok") return rows.length === 1;
  // Nobody can know the outcome, but a second effect would be a fault.
  if (status === "outcome_unknown") return rows.length <= 1;
  return rows.length === 0;
}

function idsOf({ refunds, mails, tickets, addressChanges }: Effects): string[] {
  return [
    ...refunds.map(({ refund }) => refund),
    ...mails.map(({ mail }) => mail),
    ...tickets.map(({ ticket }) => ticket),
    ...addressChanges.map(({ change }) => change),
  ];
}
