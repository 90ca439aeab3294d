import { type Call, failedResult, rightsFault, type Run, type ToolResult } from "@toolbus/contracts";

/**
 * What the model reads if the run's requester may not make a call; null if they may. Checked before anything of a call is sent, including a repeat. A run
 * that began before rights were kept with it has none to check: approvals judges its writes.
 */
export function refusedCall({ rights }: Run, { toolName: name, toolset, scopes }: Call): ToolResult | null {
  const fault = rights ? rightsFault(rights, { name, toolset, scopes }) : null;
  if (fault === null) return null;
  return failedResult("policy_denied", `The policy refuses this call: ${fault} Do not try it again; say so.`);
}
