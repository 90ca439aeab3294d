import type { Approval } from "@toolbus/contracts";
import { hasEveryGroup } from "../policy/check-approver.ts";

/**
 * Returns the status of an approval after these decisions. `need` people have to approve it, some of them of the groups that its policy names. One
 * denial or request for revision ends it.
 */
export function statusAfter(
  decisions: Approval["decisions"],
  approval: Pick<Approval, "need" | "policy">,
): "pending" | "approved" | "rejected" | "revision_requested" {
  const { need } = approval;
  const last = decisions.at(-1)?.decision;
  if (last === "deny") return "rejected";
  if (last === "revise") return "revision_requested";
  return new Set(decisions.map(({ approver }) => approver)).size >= need && hasEveryGroup(approval, decisions) ? "approved" : "pending";
}

/** Returns the approval as this decision left it. A repeat of the decision gets this answer even if the approval has changed since. */
export function asOfDecision(approval: Approval, tokenHash: string): Approval {
  const index = approval.decisions.findIndex((made) => made.tokenHash === tokenHash);
  const made = approval.decisions[index];
  if (!made) return approval;
  const decisions = approval.decisions.slice(0, index + 1);
  const status = statusAfter(decisions, approval);
  const { reason: _, ...rest } = approval;
  return { ...rest, decisions, status, endedAt: status === "pending" ? null : made.at };
}
