import type { Approval } from "@toolbus/contracts";
import { hasEveryGroup } from "../policy/check-approver.ts";
import { approvalAfter, counting } from "./edited.ts";

/**
 * Returns the status of an approval after its decisions. `need` people have to approve the same arguments, some of them of the groups that its policy
 * names. One denial or request for revision ends it.
 */
export function statusAfter(
  approval: Pick<Approval, "decisions" | "edited" | "need" | "policy">,
): "pending" | "approved" | "rejected" | "revision_requested" {
  const last = approval.decisions.at(-1)?.decision;
  if (last === "deny") return "rejected";
  if (last === "revise") return "revision_requested";
  const counted = counting(approval);
  const approvers = counted.map(({ approver }) => approver);
  const isEnough = new Set(approvers).size >= approval.need;
  return isEnough && hasEveryGroup(approval, counted) ? "approved" : "pending";
}

/** Returns the approval as this decision left it, with the arguments of that time. A repeat of the decision gets this answer even if the approval has changed since. */
export function asOfDecision(approval: Approval, tokenHash: string): Approval {
  const index = approval.decisions.findIndex((made) => made.tokenHash === tokenHash);
  const made = approval.decisions[index];
  if (!made) return approval;
  const { reason: _, ...then } = approvalAfter(approval, index + 1);
  const status = statusAfter(then);
  return { ...then, status, endedAt: status === "pending" ? null : made.at };
}
