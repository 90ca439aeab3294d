import { type Approval, type Era, type Json, keys, type Pin, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { askedOf } from "./edited.ts";
import { currentPlan } from "./planned.ts";
import { pinnedTier } from "../pins/pin-rules.ts";

/** The events of an approval, in the order in which they can happen. */
export type AuditEvent =
  | "held"
  | "decision"
  | "approved"
  | "rejected"
  | "revision_requested"
  | "expired"
  | "cancelled"
  | "limit"
  | "refused"
  | "renewed"
  | "lapsed"
  | "withdrawn"
  | "revealed"
  | "planned"
  | "drifted";

type Append = NonNullable<Change["append"]>[number];

/**
 * Returns the records of one transition for the audit log of its shard. They say who did what to which write, when, and at which tier. They contain
 * only the hash of the arguments. `by` is an approver, `policy`, `clock` or an agent.
 */
export function audited(approval: Approval, events: readonly { readonly event: AuditEvent; readonly by: string }[], at: number): Append {
  return { log: keys.audit(shardOf(approval.approvalId)), entries: events.map(({ event, by }) => record(approval, event, by, at)) };
}

/** The changes of a pin. Approvals made the change automatically (`pinned`), or an operator made it. */
export const PIN_EVENTS = ["pinned", "tool_enabled", "tool_disabled", "tool_tier"] as const;
export type PinEvent = (typeof PIN_EVENTS)[number];

/** Returns the audit record of a pin. From then on, approvals shows and grants this definition, or no definition if the pin is disabled. */
export function auditedPin(pin: Pin, event: PinEvent): Record<string, Json> {
  const { definition, toolset, hash, pinnedAt, pinnedBy, receiptKeys = [] } = pin;
  return {
    event,
    by: pinnedBy,
    at: pinnedAt,
    tool: definition.name,
    toolVersion: definition.version,
    toolHash: hash,
    toolset,
    tier: pinnedTier(pin),
    receiptKeys: receiptKeys.map(({ kid }) => kid),
  };
}

/** Returns the audit record of a raised era, or of shards whose writes were resumed. `by` is an operator or the service that reported the loss. */
export function auditedEra(
  event: "era_raised" | "writes_resumed",
  { era, shards, by, at }: { readonly era: Era; readonly shards: readonly string[]; readonly by: string; readonly at: number },
): Record<string, Json> {
  return { event, by, at, era: era.era, reason: era.reason, shards: [...shards] };
}

function record(approval: Approval, event: AuditEvent, by: string, at: number): Json {
  const { approvalId, callId, correlationId, tenant, requester, agent, toolName: tool, toolVersion, toolHash, argsHash, tier } = approval;
  const last = event === "decision" ? approval.decisions.at(-1) : undefined;
  const plan = currentPlan(approval);
  return {
    event,
    by,
    at,
    approvalId,
    callId,
    correlationId,
    tenant,
    requester,
    agent,
    tool,
    toolVersion,
    toolHash,
    argsHash,
    tier,
    // The policy that the write was judged by. The record of a decision also has the policy that was in use when the decision was made.
    ...(approval.policy === undefined ? {} : { policy: approval.policy.version }),
    ...(last ? { decision: last.decision, via: last.via } : {}),
    ...(last?.policy === undefined ? {} : { policyAtDecision: last.policy }),
    // After an edit, `argsHash` is the hash of the edited arguments. So the record also names those that the agent asked for.
    ...(approval.edited === undefined ? {} : { askedArgsHash: askedOf(approval).argsHash, editedBy: approval.edited.by }),
    ...(last?.ticket === undefined ? {} : { ticket: last.ticket }),
    ...(plan === null ? {} : { planHash: plan.hash, planRound: plan.round }),
  };
}
