import { type Approval, type Era, type Json, keys, type Pin, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { pinnedTier } from "../pins/pin-rules.ts";

/** What can happen to an approval, in order. */
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
  | "withdrawn";

type Append = NonNullable<Change["append"]>[number];

/**
 * Records of one transition, for the audit log of its shard: who did what to which write, when and at which tier. Arguments appear as their hash only. `by`
 * is an approver, `policy`, `clock` or an agent.
 */
export function audited(approval: Approval, events: readonly { readonly event: AuditEvent; readonly by: string }[], at: number): Append {
  return { log: keys.audit(shardOf(approval.approvalId)), entries: events.map(({ event, by }) => record(approval, event, by, at)) };
}

/** What happened to a pin: automatically (`pinned`), or by an operator. */
export type PinEvent = "pinned" | "tool_enabled" | "tool_disabled" | "tool_tier";

/** The record of a pin: from then on this definition is the one that is shown and granted, or none is. */
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

/** The record of a raised era, or of shards whose writes were resumed. `by` is an operator, or whoever told of the loss. */
export function auditedEra(
  event: "era_raised" | "writes_resumed",
  { era, shards, by, at }: { readonly era: Era; readonly shards: readonly string[]; readonly by: string; readonly at: number },
): Record<string, Json> {
  return { event, by, at, era: era.era, reason: era.reason, shards: [...shards] };
}

function record(approval: Approval, event: AuditEvent, by: string, at: number): Json {
  const { approvalId, callId, correlationId, tenant, requester, agent, toolName: tool, toolVersion, toolHash, argsHash, tier } = approval;
  const last = event === "decision" ? approval.decisions.at(-1) : undefined;
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
    ...(last ? { decision: last.decision, via: last.via } : {}),
    ...(last?.ticket === undefined ? {} : { ticket: last.ticket }),
  };
}
