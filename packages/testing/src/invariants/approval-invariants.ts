import { type Approval, APPROVERS_NEEDED, type DecisionToken, keys, type RunOrigin } from "@toolbus/contracts";
import { approvedHash, tierNeeded, wrongArguments } from "./edited-arguments.ts";
import { type Changed, type Facts, familyOf } from "./facts.ts";
import { isOfCurrentPlan, mayReopen, wrongPlans } from "./plan-invariants.ts";
import { same } from "./same.ts";

/** Checks the invariants I3 and I7 and the guarantee G6 (docs/mechanics.md) for approvals' own documents, after one commit. */
export function brokenByApproval(facts: Facts, changed: readonly Changed[]): readonly string[] {
  const broken: string[] = [];
  for (const document of changed) {
    const family = familyOf(document.key);
    if (family === "approval") broken.push(...approvalBroken(facts, document as unknown as Changed<Approval>));
    if (family === "token") broken.push(...tokenBroken(document as unknown as Changed<DecisionToken>));
  }
  return broken;
}

function approvalBroken(facts: Facts, { before, after }: Changed<Approval>): readonly string[] {
  if (!after) return [`G6: the approval ${before?.approvalId} was removed`];
  const { approvalId, status, decisions } = after;
  const broken: string[] = [];
  const timed = facts.timers.get("approvals")?.has(`apr:${approvalId}`) === true;
  if (status === "pending" && !timed) broken.push(`I3: the approval ${approvalId} is pending and has no timer`);
  if (status !== "pending" && timed) broken.push(`I3: the approval ${approvalId} ended as ${status} and keeps its timer`);
  if (
    before &&
    before.status !== "pending" &&
    (before.status !== status || !same(before.decisions, decisions)) &&
    !mayReopen(before, after)
  )
    broken.push(`I7: the approval ${approvalId} was final as ${before.status} and is now ${status}`);
  if (before && before.toolHash !== after.toolHash) broken.push(`I7: the subject of the approval ${approvalId} has changed`);
  broken.push(...wrongArguments(facts, before, after), ...wrongPlans(facts, before, after));
  for (const { approver, at } of decisions)
    if (at > after.expiresAt) broken.push(`G6: ${approver} decided ${approvalId} ${at - after.expiresAt} ms after its end`);
  for (const { approver, tokenHash } of decisions) {
    const token = facts.documents.get(keys.token(approvalId, tokenHash)) as unknown as DecisionToken | undefined;
    if (token && token.approver !== approver) broken.push(`G6: ${approver} decided ${approvalId} with the token of ${token.approver}`);
  }
  if (status === "approved") broken.push(...approvedWrongly(facts, after));
  return broken;
}

/** Returns what is wrong with this approval. A write of this tier needs enough different people, and the requester must not be one of them. */
export function approvedWrongly(facts: Facts, approval: Approval): readonly string[] {
  const { approvalId, toolName, decisions, runId } = approval;
  const tier = tierNeeded(facts, approval);
  const origin = facts.documents.get(keys.runOrigin(runId)) as unknown as RunOrigin | undefined;
  if (!origin) return [`G6: the approval ${approvalId} has no requester`];
  if (tier === null) return [`G6: the approval ${approvalId} is for the write ${toolName}, which nobody pinned`];
  const counted = decisions.filter(
    (made) => made.decision === "approve" && approvedHash(approval, made) === approval.argsHash && isOfCurrentPlan(approval, made),
  );
  const approvers = new Set(counted.map(({ approver }) => approver));
  const broken: string[] = [];
  if (approvers.size < Math.max(APPROVERS_NEEDED[tier], facts.leastApprovers))
    broken.push(`G6: ${approvalId}, of tier ${tier}, is approved by ${approvers.size} people`);
  if (approvers.has(origin.principal)) broken.push(`G6: ${origin.principal} approved their own request, ${approvalId}`);
  return broken;
}

function tokenBroken({ key, before, after }: Changed<DecisionToken>): readonly string[] {
  if (!before || !after) return [];
  return before.used !== null && before.used !== after.used ? [`G6: the token ${key} decided twice`] : [];
}
