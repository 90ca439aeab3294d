import { type Call, failedResult, rightsFault, type Run, type ToolResult } from "@toolbus/contracts";

/**
 * Returns the result that the model reads if the run's requester may not make a call, else null. The agent checks this before it sends anything for a
 * call, including a repeat. A run of an old version has no stored rights. For its writes, approvals checks the rights.
 */
export function refusedCall({ rights }: Run, { toolName: name, toolset, scopes }: Call): ToolResult | null {
  const fault = rights ? rightsFault(rights, { name, toolset, scopes }) : null;
  if (fault === null) return null;
  return failedResult("policy_denied", `The policy refuses this call: ${fault} Do not try it again; say so.`);
}
