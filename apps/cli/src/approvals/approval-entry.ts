import { type ApprovalView, cardTitle } from "@toolbus/contracts";
import { spanOf } from "../terminal/duration.ts";
import { fitted } from "../terminal/fitted.ts";
import { wrapped } from "../terminal/lines.ts";

/** The fields of an approval that an entry shows. */
export type ListedApproval = Pick<
  ApprovalView,
  | "id"
  | "tool"
  | "tier"
  | "effect"
  | "doubts"
  | "requester"
  | "status"
  | "approversNeeded"
  | "decisions"
  | "requestedAt"
  | "expiresAt"
  | "endedAt"
  | "reason"
>;

/**
 * Returns the lines of an approval in a list: its id and state, what it is about, and the effect as the card shows it. The function wraps long lines, because an
 * approver must not miss the end of an effect.
 */
export function approvalEntry(one: ListedApproval, now: number, width: number): string[] {
  const about = `${one.tier} tier, ${one.tool}, for ${one.requester}, ${spanOf(now - one.requestedAt)} old`;
  const effect = one.effect === "" ? [] : [`${(one.doubts ?? []).length > 0 ? "! " : ""}${cardTitle(one).text}`];
  const why = one.reason === undefined ? [] : [one.reason];
  return [
    ...wrapped(`${one.id}  ${standing(one, now)}`, width),
    ...[about, ...effect, ...why].flatMap((text) => text.split("\n").flatMap((line) => fitted(`  ${line}`, width))),
  ];
}

/** Returns the state of an approval in words: how long people still have, who has approved, or how it ended and who ended it. */
export function standing(one: ListedApproval, now: number): string {
  const { status, decisions, approversNeeded, expiresAt, endedAt } = one;
  const approved = decisions.filter(({ decision, isVoid }) => decision === "approve" && !isVoid).length;
  if (endedAt === null)
    return `${status}, ${spanOf(expiresAt - now)} left${approversNeeded > 1 ? `, ${approved} of ${approversNeeded} approved` : ""}`;
  // A decision that does not count, such as one about an earlier plan, ended nothing.
  const people = [...new Set(decisions.filter(({ isVoid }) => !isVoid).map(({ approver }) => approver))].join(" and ");
  // If the approval expired at the time of its request, nobody was asked.
  const by = people !== "" ? ` by ${people}` : one.expiresAt > one.requestedAt ? "" : " by policy";
  return `${status.replaceAll("_", " ")}${by} ${spanOf(now - endedAt)} ago`;
}
