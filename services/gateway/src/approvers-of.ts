import { APPROVERS_NEEDED, approverScopes, type Call, type Wait } from "@toolbus/contracts";

/**
 * Returns whose approval a held call waits for, as far as the gateway knows it: how many people, with which scope, and who is excluded. Only
 * approvals knows who these people are, because it has their keys.
 */
export function approversOf(
  { toolName: tool, approvalTier: tier, approversNeeded: demanded, approvedSoFar: approvedBy = [] }: Call,
  requesters: readonly string[],
): Pick<Wait, "says" | "tier" | "scopes" | "approversNeeded" | "approvedBy" | "notBy"> {
  if (tier === undefined) return { says: `${tool} waits for a person to decide.` };
  const scopes = [...approverScopes(tier)];
  // A call that waits needs at least one more person, even if the gateway already knows of enough approvals.
  const needed = Math.max(1, (demanded ?? APPROVERS_NEEDED[tier]) - approvedBy.length);
  const people = `${needed}${approvedBy.length > 0 ? " more" : ""} ${needed === 1 ? "person" : "people"}`;
  const not = [
    `${requesters.join(" and ")}, who asked for it`,
    ...(approvedBy.length > 0 ? [`${approvedBy.join(" and ")}, who approved it`] : []),
  ];
  const approver = needed === 1 ? "an approver" : "approvers";
  return {
    says: `${tool} waits for ${people === "1 person" ? "a person" : people} to decide (${tier} tier): ${approver} with the scope ${scopes.join(" or ")}, other than ${not.join(", and ")}.`,
    tier,
    scopes,
    approversNeeded: needed,
    ...(approvedBy.length > 0 ? { approvedBy } : {}),
    notBy: [...requesters],
  };
}
