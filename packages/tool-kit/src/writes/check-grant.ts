import { APPROVERS_NEEDED, assessRisk, FIRST_ERA, keys, type LedgerRow, type PlanRef } from "@toolbus/contracts";
import { type StaleReason, verifyGrant } from "@toolbus/grants";
import type { InvokeContext, Outcome } from "../calls/invoke-context.ts";
import type { CheckedArguments } from "../calls/read-arguments.ts";
import type { SecurityEvent } from "../calls/security-record.ts";
import type { EraVerdict } from "./signed-era.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import type { WriteExecutor } from "../tool/toolset.ts";
import { retryAfter } from "../worker-timings.ts";
import { type WriteHold, writeHold } from "./write-hold.ts";

export interface Granted {
  readonly kind: "granted";
  /** The approval that the grant belongs to. */
  readonly jti: string;
  readonly hold: WriteHold;
  /** The plan that was approved. It is absent if the tool offers none, if policy granted the write, or if the write was already sent. */
  readonly plan?: PlanRef | undefined;
  /** The latest time at which the write may begin. It is absent if the write was already sent while the grant was valid. */
  readonly expiresAt: number | undefined;
}

/**
 * Checks whether exactly this call may run. The call needs a grant of the approvals service for this call, these arguments and this definition, with
 * the tier and the approvers that the worker's own definition requires. A call with a forged grant is recorded and receives no answer, because the
 * agent would join an error as the result of the real call. If a grant is stale, the ledger decides: a write that was already sent continues, and one
 * that was not sent usually receives an answer, so that the agent asks for another grant.
 */
export async function checkGrant(
  call: ToolCall,
  executor: WriteExecutor,
  args: CheckedArguments,
  context: InvokeContext,
): Promise<Granted | Outcome> {
  const { definition, hash } = executor;
  const { tier } = assessRisk(definition, args.value);
  const { now, documents } = await context.state.read([keys.era()]);
  const read = await context.eras.read(documents[0]?.value);
  if (read.kind === "refused") return eraRefused(read, call, context);
  const { era } = read;
  const hold = writeHold({ callId: call.callId, era, now, losses: context.losses });
  const verdict = await verifyGrant({
    grant: call.grant,
    keys: context.keys,
    now,
    era: era?.era ?? FIRST_ERA,
    expected: {
      toolset: context.toolset.name,
      callId: call.callId,
      tool: definition.name,
      toolVersion: definition.version,
      toolHash: hash,
      argsHash: args.hash,
      tier,
      need: APPROVERS_NEEDED[tier],
      plans: definition.plan === true,
    },
  });
  switch (verdict.kind) {
    case "granted": {
      const { jti, exp, plan } = verdict.claims;
      // The verdict tolerates clocks that differ. But `begin` uses the store's clock, and would refuse the call without an answer.
      if (now > exp * 1000) return staleGrant("expired", hold, call, args, context);
      return { kind: "granted", jti, hold, plan, expiresAt: exp * 1000 };
    }
    case "stale":
      return staleGrant(verdict.reason, hold, call, args, context);
    case "forged":
      return forgedCall(call, { reason: verdict.reason, detail: verdict.detail }, `its grant was refused (${verdict.reason})`, context);
  }
}

/**
 * Decides about a call whose grant is stale. A grant must be valid when the call begins. After that, the worker completes the call. It repeats a
 * stored result, and continues a sent write even if the grant has expired since.
 */
async function staleGrant(
  reason: StaleReason,
  hold: WriteHold,
  call: ToolCall,
  args: CheckedArguments,
  context: InvokeContext,
): Promise<Granted | Outcome> {
  const stale: Outcome = { kind: "grant_stale", reason };
  // The worker does not know the signing key yet.
  if (reason === "unknown_key") return stale;
  const { row } = await context.ledger.find(call.callId);
  if (!row || row.argsHash !== args.hash || row.toolName !== call.toolName) return stale;
  if (row.state === "done") return doneBefore(row, call, context);
  if (row.state !== "sending") return stale;
  switch (reason) {
    case "expired":
      return { kind: "granted", jti: row.jti, hold, expiresAt: undefined };
    case "era":
      return stale;
    case "tool_hash":
      return { kind: "drop", reason: "the tool has changed since the write was sent; the agent resolves it from the ledger" };
  }
}

async function doneBefore(row: LedgerRow, call: ToolCall, context: InvokeContext): Promise<Outcome> {
  const proof = await context.ledger.prove(row);
  if (proof.kind === "genuine" && row.result && row.receipt !== undefined)
    return { kind: "answer", result: row.result, receipt: row.receipt, again: true };
  const detail = proof.kind === "unproven" ? proof.detail : "it has no result";
  const event: SecurityEvent = { reason: "ledger_forged", detail: `the ledger says "done", and ${detail}` };
  return forgedCall(call, event, "the ledger's row of it is not genuine", context);
}

/**
 * Stops a write because approvals did not sign the era in the store. Without a genuine era, the worker cannot know which grants are void. If the era
 * may still be genuine, the call waits.
 */
async function eraRefused(
  { why, detail }: Extract<EraVerdict, { kind: "refused" }>,
  call: ToolCall,
  context: InvokeContext,
): Promise<Outcome> {
  // Replies of the store may arrive out of order, and approvals writes a lost era again.
  if (why === "unknown_key" || (why === "older" && call.count === 1))
    return { kind: "retry", after: retryAfter(context.timings, call.count), reason: "whether the era is genuine is not known yet" };
  const event: SecurityEvent = { reason: "era_forged", detail: `the era in the store is not what approvals signed: ${detail}` };
  return forgedCall(call, event, "the era in the store is not genuine", context);
}

/** Drops a forged call without an answer, because the agent would join an error as the result of the real call. */
export async function forgedCall(
  call: ToolCall,
  event: SecurityEvent,
  reason: string,
  { security }: Pick<InvokeContext, "security">,
): Promise<Outcome> {
  return { kind: "drop", reason, reported: (await security.record(call, event)) ? "whole" : "counted" };
}
