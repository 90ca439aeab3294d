import type { Approval, Decision, EarlierArguments } from "@toolbus/contracts";
import { isOfPlan, plannedAt, plannedThen } from "./planned.ts";

/** Arguments that an approver wants instead of those on the card. They were checked against the pinned definition, and judged by it. */
export type Edit = Pick<Approval, "arguments" | "argsHash" | "effect" | "tier" | "reasons" | "need" | "policy">;

/** The largest number of edits of one approval. */
export const MAX_EDITS = 8;

/** Returns what the agent asked for, even if approvers have changed it. Repeats of the request are compared with this result. */
export function askedOf(approval: Pick<Approval, "earlier"> & Edit): Edit {
  return approval.earlier?.[0] ?? approval;
}

/** Returns the approval with edited arguments. The earlier arguments are kept. */
export function withEdit(before: Approval, edit: Edit, edited: NonNullable<Approval["edited"]>): Approval {
  return { ...before, ...edit, edited, earlier: [...(before.earlier ?? []), versionOf(before)] };
}

/** The parts of an approval that say which decisions count. */
export type Counted = Pick<Approval, "decisions" | "edited" | "plans" | "planning">;

/** Returns the hash of the arguments on which this decision was made. */
export function decidedHash({ argsHash, earlier }: Pick<Approval, "argsHash" | "earlier">, made: Pick<Decision, "argsHash">): string {
  return made.argsHash ?? earlier?.[0]?.argsHash ?? argsHash;
}

/**
 * Returns the approvals that count: the last edit and those after it. An edit makes the approvals before it void for good, even if a later edit brings
 * their arguments back. If the tool offers a plan, only approvals of the last plan count, and an edit alone approves nothing.
 */
export function counting(approval: Counted): readonly Decision[] {
  const { decisions, edited } = approval;
  const first = edited === undefined ? 0 : decisions.findLastIndex((made) => madeEdit(made, edited));
  return decisions.slice(Math.max(0, first)).filter((made) => made.decision === "approve" && isOfPlan(approval, made));
}

/** Returns the approval with the arguments and the decisions that it had at this time. Its status is not changed. */
export function approvalAt(approval: Approval, at: number): Approval {
  const then = approvalAfter(approval, approval.decisions.filter((made) => made.at <= at).length);
  const { plans } = approval;
  return plannedAt({ ...then, ...(plans === undefined ? {} : { plans }) }, at);
}

/**
 * Returns the approval with its first `count` decisions and the arguments that it had then. The later edits are undone one by one, because the same
 * arguments may have come back in between.
 */
export function approvalAfter(approval: Approval, count: number): Approval {
  const versions = [...(approval.earlier ?? []), versionOf(approval)];
  let place = versions.length - 1;
  for (const made of approval.decisions.slice(count).toReversed()) {
    const edited = versions[place]?.edited;
    // A decision that sent the arguments of its card has changed nothing.
    if (edited && madeEdit(made, edited)) place--;
  }
  const decisions = approval.decisions.slice(0, count);
  return plannedThen({ ...atVersion(approval, place), decisions });
}

/** Returns the approval with the arguments of this hash, as it was when its card had them. Returns null if its card never had them. */
export function withArguments(approval: Approval, argsHash: string): Approval | null {
  const place = [...(approval.earlier ?? []), versionOf(approval)].findLastIndex((version) => version.argsHash === argsHash);
  return place < 0 ? null : atVersion(approval, place);
}

function madeEdit({ sent, approver, at }: Decision, edited: NonNullable<Approval["edited"]>): boolean {
  return sent !== undefined && approver === edited.by && at === edited.at;
}

function atVersion(approval: Approval, place: number): Approval {
  const { edited: _, policy: __, earlier = [], ...rest } = approval;
  const version = earlier[place];
  return version ? { ...rest, ...version, ...(place > 0 ? { earlier: earlier.slice(0, place) } : {}) } : approval;
}

function versionOf({ arguments: args, argsHash, effect, tier, reasons, need, policy, edited }: Approval): EarlierArguments {
  const terms = policy === undefined ? {} : { policy };
  return { arguments: args, argsHash, effect, tier, reasons, need, ...terms, ...(edited === undefined ? {} : { edited }) };
}
