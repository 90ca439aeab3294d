import { APPROVERS_NEEDED, approverScopes, type Call, type Wait } from "@toolbus/contracts";

/**
 * Whose approval a held call waits for, as far as it is known here: how many people, with which scope, and who not. Which people these are is known to
 * approvals alone, which has their keys.
 */
export function approversOf(
  { toolName: tool, approvalTier: tier, approvedSoFar: approvedBy = [] }: Call,
  requesters: readonly string[],
): Pick<Wait, "says" | "tier" | "scopes" | "approversNeeded" | "approvedBy" | "notBy"> {
  if (tier === undefined) return { says: `${tool} waits for a person to decide.` };
  const scopes = [...approverScopes(tier)];
  // What waits takes somebody, whatever has been heard of who approved it.
  const needed = Math.max(1, APPROVERS_NEEDED[tier] - approvedBy.length);
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
