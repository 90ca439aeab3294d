import type { Approval, Decision, EarlierArguments } from "@toolbus/contracts";

/** Arguments that an approver wants instead of those on the card. They were checked against the pinned definition, and judged by it. */
export type Edit = Pick<Approval, "arguments" | "argsHash" | "effect" | "tier" | "reasons" | "need">;

/** The largest number of edits of one approval. */
export const MAX_EDITS = 8;

/** Returns what the agent asked for, whatever approvers have made of it. Repeats of the request are compared with this. */
export function askedOf(approval: Pick<Approval, "earlier"> & Edit): Edit {
  return approval.earlier?.[0] ?? approval;
}

/** Returns the approval with edited arguments. What it was before is kept. */
export function withEdit(before: Approval, edit: Edit, edited: NonNullable<Approval["edited"]>): Approval {
  return { ...before, ...edit, edited, earlier: [...(before.earlier ?? []), versionOf(before)] };
}

/** The parts of an approval that say which decisions count. */
export type Counted = Pick<Approval, "argsHash" | "decisions" | "earlier">;

/** Returns the hash of the arguments on which this decision was made. */
export function decidedHash({ argsHash, earlier }: Pick<Counted, "argsHash" | "earlier">, made: Pick<Decision, "argsHash">): string {
  return made.argsHash ?? earlier?.[0]?.argsHash ?? argsHash;
}

/** Returns the approvals that count. A person who approved other arguments has approved nothing that the grant covers. */
export function counting(approval: Counted): readonly Decision[] {
  return approval.decisions.filter((made) => made.decision === "approve" && decidedHash(approval, made) === approval.argsHash);
}

/** Returns the approval with the arguments and the decisions that it had at this time. Its status is not changed. */
export function approvalAt(approval: Approval, at: number): Approval {
  const { earlier = [], edited } = approval;
  const decisions = approval.decisions.filter((made) => made.at <= at);
  if (edited === undefined || edited.at <= at) return { ...approval, decisions };
  const place = earlier.findLastIndex((version) => version.edited === undefined || version.edited.at <= at);
  return { ...atVersion(approval, Math.max(0, place)), decisions };
}

/** Returns the approval with the last arguments that have this hash. */
export function approvalOf(approval: Approval, argsHash: string): Approval {
  if (approval.argsHash === argsHash) return approval;
  const place = (approval.earlier ?? []).findLastIndex((version) => version.argsHash === argsHash);
  return place < 0 ? approval : atVersion(approval, place);
}

function atVersion(approval: Approval, place: number): Approval {
  const { edited: _, earlier = [], ...rest } = approval;
  const version = earlier[place];
  return version ? { ...rest, ...version, ...(place > 0 ? { earlier: earlier.slice(0, place) } : {}) } : approval;
}

function versionOf({ arguments: args, argsHash, effect, tier, reasons, need, edited }: Approval): EarlierArguments {
  return { arguments: args, argsHash, effect, tier, reasons, need, ...(edited === undefined ? {} : { edited }) };
}
