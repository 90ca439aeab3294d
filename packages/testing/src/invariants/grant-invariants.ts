import {
  type Approval,
  approvalIdOf,
  APPROVERS_NEEDED,
  attributes,
  type Call,
  type GrantClaims,
  keys,
  messageTypes,
  type RunOrigin,
} from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import type { Observation } from "../ports/observation.ts";
import { approvedHash, askedArguments, tierNeeded } from "./edited-arguments.ts";
import { claimsOf, type Facts } from "./facts.ts";
import { wrongPlanInGrant } from "./plan-invariants.ts";
import { afterUntrustedReads } from "./untrusted-reads.ts";

/**
 * Checks the guarantee G6 (docs/mechanics.md) for a grant when approvals publishes it. The grant must be for exactly this call, its tool and its
 * arguments. Enough people must have approved the call before the approval expired, and the requester must not be one of them. The check reads the
 * token as any party can, without the product's own verifier.
 */
export function brokenByGrant(
  facts: Facts,
  { by, message }: Pick<Extract<Observation, { kind: "message" }>, "by" | "message">,
): readonly string[] {
  const token = message.attributes[attributes.grant];
  const callId = message.correlationId;
  if (by !== "approvals" || message.type !== messageTypes.approvalDecided || token === undefined || callId === undefined) return [];
  return grantBroken(facts, callId, claimsOf(token)).map((what) => `G6: the grant of ${callId} ${what}`);
}

function grantBroken(facts: Facts, callId: string, claims: GrantClaims | null): readonly string[] {
  if (!claims) return ["cannot be read"];
  const approval = facts.documents.get(keys.approval(approvalIdOf(callId))) as unknown as Approval | undefined;
  if (!approval) return ["has no approval"];
  const broken: string[] = [];
  const call = facts.documents.get(keys.call(callId)) as unknown as Call | undefined;
  const { runId, arguments: approved } = approval;
  const origin = facts.documents.get(keys.runOrigin(runId)) as unknown as RunOrigin | undefined;
  const tier = afterUntrustedReads(facts, call, tierNeeded(facts, approval));
  const approvers = new Set(claims.approvers.map(({ sub }) => sub));
  const is = (what: string, one: unknown, other: unknown): void => {
    if (one !== other) broken.push(`says ${String(one)} for ${what}, but it is ${String(other)}`);
  };
  is("the call", claims.callId, callId);
  is("the approval", claims.jti, approvalIdOf(callId));
  is("the run", claims.runId, runId);
  is("the tool", claims.tool, call?.toolName);
  is("the definition", claims.toolHash, approval.toolHash);
  is("the arguments", claims.argsHash, argumentsHash(approved));
  if (call?.arguments && !approval.edited) is("the arguments of the call", claims.argsHash, argumentsHash(call.arguments));
  if (call) is("what was asked for", approval.earlier?.[0]?.argsHash ?? approval.argsHash, argumentsHash(askedArguments(facts, call)));
  for (const { sub } of claims.approvers)
    if (!approval.decisions.some((made) => made.approver === sub && approvedHash(approval, made) === claims.argsHash))
      broken.push(`counts ${sub}, who approved other arguments`);
  broken.push(...wrongPlanInGrant(approval, claims));
  is("the requester", claims.requester, origin?.principal);
  is("the tier", claims.tier, tier);
  if (tier !== null && approvers.size < Math.max(APPROVERS_NEEDED[tier], facts.leastApprovers))
    broken.push(`has ${approvers.size} approvers for the tier ${tier}`);
  if (origin && approvers.has(origin.principal)) broken.push(`is approved by ${origin.principal}, the requester`);
  const { grant } = approval;
  if (grant && claims.exp * 1000 > grant.executeBy + SECOND_MS && claims.exp * 1000 > grant.expiresAt + SECOND_MS)
    broken.push(`lasts until ${claims.exp}, longer than its approval`);
  if (claims.approvers.some(({ at }) => at > approval.expiresAt)) broken.push("counts a decision that came too late");
  return broken;
}
/** Claims are in whole seconds. */
const SECOND_MS = 1000;
