import {
  type Approval,
  approvalIdOf,
  type Call,
  callIdOf,
  callParts,
  keys,
  type LedgerRow,
  type ResultStatus,
  type Run,
} from "@toolbus/contracts";
import { TOOLSET, writeNamed } from "../world/sim-tools.ts";
import { argumentsHash, canonicalJson } from "@toolbus/grants";
import { isOfSomebody } from "./edited-arguments.ts";
import { approvedWrongly } from "./approval-invariants.ts";
import { type Changed, type Effect, type Facts, familyOf } from "./facts.ts";
import { brokenPlanOfEffect } from "./plan-invariants.ts";
import { same } from "./same.ts";

/** Statuses of results that mean that nothing happened. */
const NOTHING: ReadonlySet<ResultStatus> = new Set([
  "validation_error",
  "denied",
  "unknown_tool",
  "not_executed",
  "cancelled",
  "error",
  "timeout",
]);

/**
 * Checks the guarantees G3, G4 and G6 (docs/mechanics.md) at the moment of an effect: the effect must be allowed, and it must be the only effect of
 * its call.
 */
export function brokenByEffect(facts: Facts, effect: Effect): readonly string[] {
  const { callId, tool, arguments: args } = effect;
  const broken: string[] = [];
  const approval = facts.documents.get(keys.approval(approvalIdOf(callId))) as unknown as Approval | undefined;
  if (approval?.status !== "approved")
    broken.push(`G6: ${tool} of ${callId} happened while its approval was ${approval?.status ?? "not there"}`);
  else {
    if (approval.toolName !== tool || !same(JSON.parse(approval.arguments), args))
      broken.push(`G6: ${tool} of ${callId} happened with other arguments than approved`);
    if (!isOfSomebody(facts, approval, canonicalJson(args)))
      broken.push(`G6: ${tool} of ${callId} happened with arguments that neither the model nor a person asked for`);
    if (facts.granted.get(callId)?.has(argumentsHash(canonicalJson(args))) === false)
      broken.push(`G6: ${tool} of ${callId} happened with arguments that no grant covers`);
    broken.push(...approvedWrongly(facts, approval), ...brokenPlanOfEffect(facts, approval));
  }
  const row = facts.documents.get(keys.ledger(TOOLSET, callId)) as unknown as LedgerRow | undefined;
  if (!row || row.state === "begun") broken.push(`I6: ${tool} of ${callId} happened before its ledger said "sending"`);
  if ((facts.effects.get(callId) ?? []).length > 1) broken.push(`${guaranteeOf(tool)}: ${tool} of ${callId} happened twice`);
  const call = facts.documents.get(keys.call(callId)) as unknown as Call | undefined;
  if (call) broken.push(...outOfTurn(facts, call));
  if (call?.result && NOTHING.has(call.result.status))
    broken.push(`G4: ${tool} of ${callId} happened after it was reported as ${call.result.status}`);
  return broken;
}

/**
 * Checks the order of an effect. Workers execute the writes of a turn one after another, after the turn's reads. So no earlier call may still be
 * open.
 */
function outOfTurn(facts: Facts, { runId, round, callId }: Call): readonly string[] {
  const run = facts.documents.get(keys.run(runId)) as unknown as Run | undefined;
  // Does not check a call of an earlier round any more.
  if (!run?.calls.some((open) => open.callId === callId)) return [];
  const before = run.calls.filter((open) => !open.resolved && (!open.write || callParts(open.callId).index < callParts(callId).index));
  return before.map((open) => `G2: ${callId} of round ${round} happened while ${open.callId} was open`);
}

/** Checks the guarantees G3 and G4 when a call receives its result. The result must say what happened. */
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

/** Checks that the agent skips a write only because of an earlier write. A later call of a turn does not cancel an earlier write. */
export function brokenBySkip(facts: Facts, changed: readonly Changed[]): readonly string[] {
  return changed.flatMap(({ key, after }) => {
    const call = after as unknown as Call | undefined;
    if (familyOf(key) !== "call" || call?.result?.error?.code !== "skipped") return [];
    const { runId, round, index, callId } = call;
    const before = Array.from(
      { length: index },
      (_, i) => facts.documents.get(keys.call(callIdOf(runId, round, i))) as unknown as Call | undefined,
    );
    const failed = before.some((other) => other?.kind === "write" && other.result !== undefined && other.result.status !== "ok");
    return failed ? [] : [`G2: ${callId} was skipped and no write before it had failed`];
  });
}

function guaranteeOf(tool: string): "G3" | "G4" {
  return writeNamed(tool)?.mode === "key" ? "G3" : "G4";
}
