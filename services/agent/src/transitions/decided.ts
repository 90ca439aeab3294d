import {
  APPROVERS_NEEDED,
  approverScopes,
  type ApprovalDecided,
  type ApprovalHeld,
  type Call,
  failedResult,
  type LedgerRow,
  type ToolDefinition,
  type ToolResult,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import { grantedArguments, planRoundOf } from "./edited-write.ts";
import { heldMs } from "./resolved-call.ts";
import type { Snapshot } from "./snapshot.ts";
import { continueWrites, resolveCall } from "./resolve-call.ts";
import type { Rules } from "./rules.ts";
import { mayBeginUntil, waitForLedger } from "./sent-write.ts";

const waits = (call: Call | undefined): call is Call => call !== undefined && (call.state === "requested" || call.state === "held");

/**
 * Records that people were asked. The call waits for them, the run's clock stops, and the agent asks approvals about the call now and then. Returns
 * null if the call no longer waits.
 */
export function callHeld(snapshot: Snapshot, held: ApprovalHeld, rules: Rules): Change | null {
  const call = callOf(snapshot, held.toolCallId);
  if (!waits(call)) return null;
  const draft = new Draft(snapshot, rules);
  const dueIn = Math.min(rules.config.HELD_CHECK_MS, Math.max(1, held.expiresAt - draft.now) + rules.config.POLL_MS);
  draft.setCall(
    {
      ...withoutApprovers(call),
      state: "held",
      approvalId: held.approvalId,
      approvalExpiresAt: held.expiresAt,
      approvalTier: held.tier,
      ...(held.approversNeeded === undefined ? {} : { approversNeeded: held.approversNeeded }),
      ...(held.approvedBy === undefined ? {} : { approvedSoFar: held.approvedBy }),
      heldSince: call.heldSince ?? draft.now,
    },
    dueIn,
  );
  if (call.state === "requested" && call.heldSince === undefined) {
    const { tier, effect, approvalId, expiresAt, approversNeeded = APPROVERS_NEEDED[tier] } = held;
    const whose = { approversNeeded, scopes: [...approverScopes(tier)] };
    draft.event({
      type: "call.held",
      at: draft.now,
      callId: call.callId,
      tool: call.toolName,
      approvalId,
      tier,
      effect,
      expiresAt,
      ...whose,
    });
  }
  return draft.build(`held:${call.callId}:${call.requests}`);
}

/**
 * Records the end of an approval. With a grant, the write is sent when the calls before it have ended. Without a grant, the model gets the outcome as
 * a result. If the write was sent before under another grant, `ledger` is the worker's row. While an earlier invoke may still begin, only the ledger
 * can end the write. If an approver changed the arguments, the call gets the new arguments, and `definition` checks them. Returns null if the call no
 * longer waits, if the answer does not match its grant, or if it is about an earlier plan.
 */
export function callDecided(
  snapshot: Snapshot,
  decided: ApprovalDecided,
  grant: string | undefined,
  rules: Rules,
  { ledger = null, definition = null }: { readonly ledger?: LedgerRow | null; readonly definition?: ToolDefinition | null } = {},
): Change | null {
  const call = callOf(snapshot, decided.toolCallId);
  if (!waits(call)) return null;
  if (decided.outcome === "approved" && !grant) return null;
  const edited = decided.outcome === "approved" && grant ? grantedArguments(call, decided, grant, definition) : null;
  if (edited === "wrong") return null;
  // An answer about an earlier plan came again. Its grant is void, and would hide that people have decided about a later one.
  if (grant !== undefined && call.grant !== undefined && isOfLaterPlan(call.grant, grant)) return null;
  const draft = new Draft(snapshot, rules);
  const isNew = isNewDecision(call, grant, ledger);
  const { heldSince: _, unservedSince: __, ...rest } = withoutApprovers(isNew ? withoutDecision(call) : call);
  const base: Call = { ...rest, heldMs: heldMs(call, draft.now), approvalId: decided.approvalId };
  if (isNew)
    draft.event({
      type: "call.decided",
      at: draft.now,
      callId: call.callId,
      tool: call.toolName,
      outcome: decided.outcome,
      decidedBy: decided.decidedBy ?? [],
      ...(edited?.asked === undefined ? {} : { changes: edited.asked.changes }),
      ...(edited === null || decided.effect === undefined ? {} : { effect: decided.effect }),
    });
  if (decided.outcome === "approved" && grant) {
    const granted: Call = {
      ...base,
      ...edited,
      state: "granted",
      grant,
      // A renewed grant has no new approvers.
      approvedBy: base.approvedBy ?? decided.decidedBy ?? [],
      ...(decided.grantExpiresAt === undefined ? {} : { grantExpiresAt: Math.max(decided.grantExpiresAt, base.grantExpiresAt ?? 0) }),
      ...(decided.executeBy === undefined ? {} : { executeBy: decided.executeBy }),
    };
    draft.setCall(granted, rules.config.REDISPATCH_MAX_MS);
    continueWrites(draft);
  } else if (!isVoidedByDrift(call, ledger) && (ledger || mayBeginUntil(call) >= draft.now)) {
    waitForLedger(draft, base);
  } else {
    // The call no longer waits for a decision, so there is no request to withdraw.
    resolveCall(draft, { ...base, state: "granted" }, outcomeResult(decided));
  }
  return draft.build(`decided:${call.callId}:${call.requests}`);
}

/**
 * Returns whether this answer is a decision of people. Otherwise it is a fresh grant for a decision that the agent knows. People decide a second time
 * only if the worker found that the target had changed. The grant of the second decision covers a later round of the plan. A denial has no grant, so
 * the worker's ledger shows whether the target had changed. `approval.held` is no proof of this, because a broker or an attacker can send that
 * message again.
 */
function isNewDecision(call: Call, grant: string | undefined, ledger: LedgerRow | null): boolean {
  if (call.grant === undefined) return true;
  return grant === undefined ? isVoidedByDrift(call, ledger) : isOfLaterPlan(grant, call.grant);
}

/** Returns whether a grant covers a later round of the plan than another one. A text that is no grant, such as a forged one, covers none. */
function isOfLaterPlan(grant: string, other: string): boolean {
  const [round, earlier] = [planRoundOf(grant), planRoundOf(other)];
  return round !== null && earlier !== null && round > earlier;
}

/**
 * Returns true if no earlier invoke can begin any more, because the target has changed. The worker has then recorded that its plan no longer holds,
 * and it refuses every grant for an earlier plan.
 */
function isVoidedByDrift(call: Call, ledger: LedgerRow | null): boolean {
  if (call.grant === undefined || ledger?.state !== "begun" || ledger.lease !== null) return false;
  return (ledger.planRound ?? 0) > (planRoundOf(call.grant) ?? 0);
}

/** Returns the call without its earlier decision. `grantExpiresAt` stays, because an earlier invoke may still arrive at a worker. */
function withoutDecision({ grant: _, approvedBy: __, ...call }: Call): Call {
  return call;
}

function withoutApprovers({ approvedSoFar: _, ...call }: Call): Call {
  return call;
}

/**
 * Returns the result that the model reads for each way in which an approval can end without a grant. If people were asked, the result names their
 * approval.
 */
function outcomeResult({ outcome, approvalId, comment, reason }: ApprovalDecided): ToolResult {
  const which = `(approval ${approvalId})`;
  const said = comment ? ` They said: "${comment}"` : "";
  switch (outcome) {
    case "rejected":
      return failedResult(
        "denied_by_user",
        `A person denied this write ${which}; nothing was done.${said} Do not try it again; say so and apologise.`,
      );
    case "revision_requested":
      return failedResult(
        "revision_requested",
        `A person asks for a revision before this may run ${which}; nothing was done.${said} Rework the arguments and call the tool again.`,
        { retryable: true },
      );
    case "expired":
      return failedResult(
        "approval_expired",
        `${(reason ?? "Nobody decided in time").replace(/\.$/, "")} ${which}; nothing was done. Ask the person to state again what they want.`,
      );
    case "limit":
      return failedResult("limit", reason ?? "The policy's limit for writes of this run is reached; nothing was done.");
    case "cancelled":
      return failedResult("cancelled", `The approval was withdrawn ${which}; nothing was done.`);
    case "refused":
      return failedResult(
        "policy_denied",
        `The policy refuses this write: ${(reason ?? "no reason was given").replace(/\.$/, "")}. Nothing was done.`,
      );
    case "approved":
      throw new Error("An approved write has no result yet.");
  }
}

export function callOf(snapshot: Snapshot, callId: string): Call | undefined {
  return snapshot.calls.find((call) => call.value.callId === callId)?.value;
}
