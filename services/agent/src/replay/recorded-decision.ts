import {
  type ApprovalDecided,
  approvalIdOf,
  type Call,
  type LedgerRow,
  type NumberedRunEvent,
  type RecordedCall,
} from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import { GRANT_MARGIN_MS } from "../transitions/next-write.ts";

type DecidedEvent = Extract<NumberedRunEvent, { type: "call.decided" }>;

/** The answer of approvals that an event of the log came from. */
export interface RecordedDecision {
  readonly decided: ApprovalDecided;
  readonly grant: string | undefined;
  /** The worker's row, if people decided again because the target had changed. */
  readonly ledger: LedgerRow | null;
}

/** Returns the answer of approvals. `earlier` is the number of decisions about this call before. `call` is the call as the replay has it. */
export function decisionOf(event: DecidedEvent, recorded: RecordedCall | undefined, call: Call, earlier: number): RecordedDecision {
  const { callId, outcome, decidedBy, changes, effect } = event;
  const edited = changes === undefined || recorded?.asked === undefined ? undefined : recorded.arguments;
  const approved = outcome === "approved";
  const decided: ApprovalDecided = {
    toolCallId: callId,
    approvalId: recorded?.approvalId ?? approvalIdOf(callId),
    outcome,
    decidedBy: [...decidedBy],
    ...(approved ? {} : wordsOf(outcome, recorded?.result?.error?.message ?? "")),
    ...(approved && recorded?.grantExpiresAt !== undefined
      ? { grantExpiresAt: expiryAt(event.at, recorded, recorded.grantExpiresAt) }
      : {}),
    ...(approved && recorded?.executeBy !== undefined ? { executeBy: recorded.executeBy } : {}),
    ...(edited === undefined ? {} : { arguments: edited }),
    ...(effect === undefined ? {} : { effect }),
  };
  const isAgain = earlier > 0;
  return {
    decided,
    grant: approved ? grantText(call, edited ?? call.arguments, earlier) : undefined,
    ledger: isAgain && !approved ? driftedRow(call, earlier) : null,
  };
}

/**
 * Returns when the grant of this decision expires. The log has only the last grant of a call. If the write was never sent, a grant that came earlier was
 * too old to send, because the agent would have sent it otherwise.
 */
function expiryAt(at: number, { dispatch }: RecordedCall, last: number): number {
  return dispatch === 0 ? Math.min(last, at + GRANT_MARGIN_MS) : last;
}

/**
 * Returns the answer with which approvals renews the grant of an approved call. No event says that it came. Returns null if the call has no grant that
 * could be renewed.
 */
export function renewalOf(call: Call, recorded: RecordedCall): RecordedDecision | null {
  const { grant, approvalId } = call;
  if (grant === undefined || approvalId === undefined) return null;
  const { grantExpiresAt, executeBy } = recorded;
  const decided: ApprovalDecided = {
    toolCallId: call.callId,
    approvalId,
    outcome: "approved",
    decidedBy: [...(call.approvedBy ?? [])],
    ...(grantExpiresAt === undefined ? {} : { grantExpiresAt }),
    ...(executeBy === undefined ? {} : { executeBy }),
  };
  return { decided, grant, ledger: null };
}

/**
 * Returns the answer with which approvals refuses to renew the grant of an approved call, because it did not begin in time. No event says that it came. Returns
 * null if the call was never approved.
 */
export function lapseOf({ callId: toolCallId, grant, approvalId }: Call, { result }: RecordedCall): ApprovalDecided | null {
  if (grant === undefined || approvalId === undefined) return null;
  return { toolCallId, approvalId, outcome: "expired", decidedBy: [], ...wordsOf("expired", result?.error?.message ?? "") };
}

/** Returns what people wrote, or why approvals refused. The log has it only in the result that the model read. */
function wordsOf(outcome: ApprovalDecided["outcome"], message: string): Pick<ApprovalDecided, "comment" | "reason"> {
  const comment = / They said: "([\s\S]*)" (?:Do not try it again|Rework the arguments)/.exec(message)?.[1];
  const reason = REASONS[outcome]?.exec(message)?.[1];
  return { ...(comment === undefined ? {} : { comment }), ...(reason === undefined ? {} : { reason }) };
}

const REASONS: Partial<Record<ApprovalDecided["outcome"], RegExp>> = {
  expired: /^([\s\S]*) \(approval [^)]*\); nothing was done\./,
  limit: /^([\s\S]*)$/,
  refused: /^The policy refuses this write: ([\s\S]*)\. Nothing was done\.$/,
};

/** Returns a text with the claims of a grant. It has no signature, so no worker would accept it. */
function grantText(call: Call, args: string, round: number): string {
  const hash = `sha256-${"a".repeat(43)}`;
  const claims = {
    iss: "tb-approvals",
    aud: `tb-executor:${call.toolset}`,
    jti: approvalIdOf(call.callId),
    iat: 1,
    nbf: 1,
    exp: 2,
    era: 1,
    tenant: "replay",
    runId: call.runId,
    callId: call.callId,
    tool: call.toolName,
    toolVersion: call.toolVersion,
    toolHash: call.toolHash,
    argsHash: argumentsHash(args),
    tier: "low",
    requester: "replay",
    approvers: [{ sub: "replay", at: 1, via: "http" }],
    need: 1,
    ...(round === 0 ? {} : { plan: { hash, round } }),
  };
  return ["{}", JSON.stringify(claims), "none"].map((part) => Buffer.from(part).toString("base64url")).join(".");
}

/** Returns a row that says that the target has changed since the last decision. */
function driftedRow({ callId, toolName, toolHash, argsHash }: Call, round: number): LedgerRow {
  return { callId, toolName, toolHash, argsHash, jti: "replay", state: "begun", fence: 1, lease: null, beganAt: 1, planRound: round };
}
