import { type ApprovalPart, type GrantClaims, parser, Plan } from "@toolbus/contracts";
import { demand, listIn, textOf } from "./evidence-approval.ts";
import { planHash } from "./hashes.ts";
import { publicKeys } from "./key-sources.ts";
import { verifyPlan } from "./plan-proof.ts";
import { BrokenLink } from "./verdict.ts";

/** The parts of the evidence that say what a write was to change. */
type PlanPart = Pick<ApprovalPart, "approval" | "callId" | "receiptKeys"> & {
  readonly grant: { readonly claims: Pick<GrantClaims, "plan" | "tool" | "toolHash" | "argsHash"> } | null;
};

/** Checks the plan that was approved, if the tool offers plans and people decided. */
export async function checkPlan(
  { grant, approval, callId, receiptKeys }: PlanPart,
  { checked, missing }: { readonly checked: string[]; readonly missing: string[] },
): Promise<void> {
  const plans = listIn(approval, "plans");
  if (grant === null || (plans.length === 0 && grant.claims.plan === undefined)) return;
  const { plan, toolHash, argsHash, tool } = grant.claims;
  const last = plans.at(-1);
  const hash = last === undefined ? "" : textOf(last, "hash");
  demand(plan?.round === plans.length && plan.hash === hash, "The grant covers another plan than the approval.");
  const content = parsePlan(last?.["content"]);
  demand(content.ok && planHash(content.value) === hash, "The plan does not have the hash that was approved.");
  if (receiptKeys.length === 0) {
    missing.push("The keys of the toolset: no pin has them, so the plan could not be checked.");
    return;
  }
  const about = { callId, toolset: textOf(approval, "toolset"), tool, toolHash, argsHash, planHash: hash };
  const verdict = await verifyPlan({
    proof: last === undefined ? "" : textOf(last, "proof"),
    keys: publicKeys(receiptKeys),
    expected: { ...about, ...(last?.["drift"] === true ? { drifted: plans.length - 1 } : {}) },
  });
  if (verdict.kind !== "genuine") throw new BrokenLink(`The toolset did not sign the approved plan: ${verdict.detail}.`);
  checked.push("A worker of the toolset signed the plan that was approved.");
}

const parsePlan = parser(Plan);
