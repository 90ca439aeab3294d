import type { ApprovalView } from "@toolbus/contracts";

/**
 * Returns why an approval of this write still needs a ticket, as a clause such as `a critical write needs a ticket`, or null. One ticket is enough
 * for all approvers. An edit voids the earlier approvals and their ticket.
 */
export function ticketNeeded(
  { tier, policy, decisions }: Pick<ApprovalView, "tier" | "policy" | "decisions">,
  { isEdited }: { readonly isEdited: boolean },
): string | null {
  const patterns = policy?.tickets ?? [];
  if (tier !== "critical" && patterns.length === 0) return null;
  if (!isEdited && decisions.some((made) => made.decision === "approve" && !made.isVoid && made.ticket !== undefined)) return null;
  const form = patterns.length === 0 ? "" : ` that matches ${patterns.join(" and ")}`;
  return `${tier === "critical" ? "a critical" : "this"} write needs a ticket${form}`;
}
