import { type Call, failedResult, rightsFault, type Run, type ToolResult } from "@toolbus/contracts";

/**
 * What the model reads of a call that the run's requester may not make; null when they may. Asked before anything of a call is sent, a repeat included. A
 * run that began before rights were kept with it has none to be judged by: its writes are judged by approvals.
 */
export function refusedCall({ rights }: Run, { toolName: name, toolset, scopes }: Call): ToolResult | null {
  const fault = rights ? rightsFault(rights, { name, toolset, scopes }) : null;
  if (fault === null) return null;
  return failedResult("policy_denied", `The policy refuses this call: ${fault} Do not try it again; say so.`);
}
