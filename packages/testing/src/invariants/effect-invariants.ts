import { type Approval, approvalIdOf, type Call, keys, type LedgerRow, type ResultStatus } from "@toolbus/contracts";
import { simWrites, TOOLSET } from "../world/sim-tools.ts";
import { approvedWrongly } from "./approval-invariants.ts";
import { type Changed, type Effect, type Facts, familyOf } from "./facts.ts";
import { same } from "./same.ts";

/** Results that say that nothing happened. */
const NOTHING: ReadonlySet<ResultStatus> = new Set([
  "validation_error",
  "denied",
  "unknown_tool",
  "not_executed",
  "cancelled",
  "error",
  "timeout",
]);

/** G3, G4 and G6 at the moment of an effect: whether it may happen, and whether it is the only one. */
export function brokenByEffect(facts: Facts, effect: Effect): readonly string[] {
  const { callId, tool, arguments: args } = effect;
  const broken: string[] = [];
  const approval = facts.documents.get(keys.approval(approvalIdOf(callId))) as unknown as Approval | undefined;
  if (approval?.status !== "approved")
    broken.push(`G6: ${tool} of ${callId} happened while its approval was ${approval?.status ?? "not there"}`);
  else {
    if (approval.toolName !== tool || !same(JSON.parse(approval.arguments), args))
      broken.push(`G6: ${tool} of ${callId} happened with other arguments than approved`);
    broken.push(...approvedWrongly(facts, approval));
  }
  const row = facts.documents.get(keys.ledger(TOOLSET, callId)) as unknown as LedgerRow | undefined;
  if (!row || row.state === "begun") broken.push(`I6: ${tool} of ${callId} happened before its ledger said that it is sent`);
  if ((facts.effects.get(callId) ?? []).length > 1) broken.push(`${guaranteeOf(tool)}: ${tool} of ${callId} happened twice`);
  const call = facts.documents.get(keys.call(callId)) as unknown as Call | undefined;
  if (call?.result && NOTHING.has(call.result.status))
    broken.push(`G4: ${tool} of ${callId} happened after it was reported as ${call.result.status}`);
  return broken;
}

/** G3 and G4 at the moment when a call gets its result: what it says is what happened. */
export function brokenByResult(facts: Facts, changed: readonly Changed[]): readonly string[] {
  return changed.flatMap(({ key, before, after }) => {
    if (familyOf(key) !== "call") return [];
    const call = after as unknown as Call | undefined;
    if (!call?.result || call.kind !== "write" || (before as unknown as Call | undefined)?.result) return [];
    const { callId, toolName, result } = call;
    const count = (facts.effects.get(callId) ?? []).length;
    if (result.status === "ok" && count !== 1)
      return [`${guaranteeOf(toolName)}: ${callId} was reported as done and happened ${count} times`];
    if (NOTHING.has(result.status) && count > 0) return [`G4: ${callId} was reported as ${result.status} and had happened`];
    return [];
  });
}

function guaranteeOf(tool: string): "G3" | "G4" {
  return simWrites.find(({ name }) => name === tool)?.mode === "key" ? "G3" : "G4";
}
