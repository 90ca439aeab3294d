import type { Scenario } from "@toolbus/evals";
import { readApprovalToDecide } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import type { Held } from "./follow-trial.ts";

/** Two clients of approvals with the keys of different approvers, because a critical write needs two. */
export type Approvers = readonly [first: Client, second: Client];

/**
 * Returns the function that decides the writes of one trial as its scenario says. A revision is asked for once, and the write that follows is approved.
 * The function returns false for a write that nobody decides.
 */
export function decideAsScripted({ approvals: script, id }: Scenario, approvers: Approvers): (held: Held) => Promise<boolean> {
  const revised = new Set<string>();
  return async ({ tool, approvalId, approversNeeded = 1 }) => {
    const { decide = "wait", comment, ticket = ticketOf(id) } = (Object.hasOwn(script, tool) ? script[tool] : undefined) ?? {};
    if (decide === "wait") return false;
    const decision = decide === "revise" && revised.has(tool) ? "approve" : decide;
    if (decide === "revise") revised.add(tool);
    const words = comment ?? (decision === "revise" ? "Change it." : undefined);
    // One denial ends an approval, so further approvers only count for an approval.
    for (const approver of approvers.slice(0, decision === "approve" ? approversNeeded : 1)) {
      await decideOnce(approver, approvalId, { decision, ...(words === undefined ? {} : { comment: words }), ticket });
    }
    return true;
  };
}

/** Reads the card as an approver does, and decides about exactly this card. */
async function decideOnce(approver: Client, approvalId: string, made: Readonly<Record<string, string>>): Promise<void> {
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  const { status, decisionToken, argumentsHash, mayNotBecause } = readApprovalToDecide(await approver.get(path));
  if (status !== "pending") return;
  if (decisionToken === undefined)
    throw new Error(`The scenario's approver may not decide ${approvalId}: ${mayNotBecause ?? "no reason is given"}`);
  await approver.post(`${path}/decision`, { ...made, token: decisionToken, argumentsHash }).catch((error: unknown) => {
    // The approval has ended in the meantime, for example because the run was cancelled.
    if (!(error instanceof Answered && (error.status === 409 || error.status === 410))) throw error;
  });
}

/** A critical write needs a ticket. */
function ticketOf(scenario: string): string {
  return `EVAL-${scenario}`.slice(0, 100);
}
