import type { Approval, Decision } from "@toolbus/contracts";

/** The status of an approval that needs this many people after these decisions: one denial or request for revision ends it. */
export function statusAfter(decisions: readonly Decision[], need: number): "pending" | "approved" | "rejected" | "revision_requested" {
  const last = decisions.at(-1)?.decision;
  if (last === "deny") return "rejected";
  if (last === "revise") return "revision_requested";
  return new Set(decisions.map(({ approver }) => approver)).size >= need ? "approved" : "pending";
}

/** The approval as this decision left it: the answer to a repeat of it, whatever happened since. */
export function asOfDecision(approval: Approval, tokenHash: string): Approval {
  const index = approval.decisions.findIndex((made) => made.tokenHash === tokenHash);
  const made = approval.decisions[index];
  if (!made) return approval;
  const decisions = approval.decisions.slice(0, index + 1);
  const status = statusAfter(decisions, approval.need);
  const { reason: _, ...rest } = approval;
  return { ...rest, decisions, status, endedAt: status === "pending" ? null : made.at };
}
