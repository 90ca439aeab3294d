import { type Approval, approvalCallId, callParts, type DecisionRequest, type DecisionToken, keys, shardOf } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Outbox, Principal } from "@toolbus/runtime";
import { decide, expire, type Moment, type Read } from "../machine/approval.ts";
import { asOfDecision } from "../machine/decision-status.ts";
import type { ApprovalDocuments, Records, RefusedApproval } from "../sealed/approval-documents.ts";
import { grantFault } from "../answers/grant-claims.ts";
import { pinFault } from "../pins/pin-rules.ts";
import type { Pins } from "../pins/pins.ts";
import { needsTicket, permission } from "../requests/policy.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";
import type { Right } from "./view.ts";

export interface DecisionsOptions {
  readonly documents: ApprovalDocuments;
  readonly outbox: Outbox;
  readonly pins: Pins;
  readonly security: RecordSecurityEvent;
  readonly rules: Moment["rules"];
  /** 256 random bits, as text. */
  /** The token that this person decides this approval with: the same each time, and nobody else can make it. */
  readonly tokenOf: (approvalId: string, approver: Principal) => string;
}

/** Why a decision does not count. `approval` is the state that the person has to know. */
export interface NotDecided {
  readonly kind: "no";
  readonly why:
    | "not_found"
    | "self_approval"
    | "forbidden"
    | "token_used"
    | "already_decided"
    | "expired"
    | "ticket_missing"
    | "pin_changed"
    | "damaged";
  readonly reason: string;
  readonly approval?: Approval;
}

/** `approval` is as this decision left it, also for a repeat. */
export type DecisionOutcome = { readonly kind: "decided"; readonly approval: Approval } | NotDecided;

/** What a person may see of an approval and do with it. Both trust the store for the requester and the time. */
export interface Decisions {
  /** The approval and, for a reader who may decide it, their single-use token. Null if there is none in the reader's tenant. Decides nothing. */
  look(
    approvalId: string,
    reader: Principal,
  ): Promise<{ readonly kind: "seen"; readonly approval: Approval; readonly right: Right } | NotDecided | null>;
  /** Takes one decision. The store orders two that race: the first counts, the second learns the outcome. */
  decide(approvalId: string, approver: Principal, request: DecisionRequest): Promise<DecisionOutcome>;
  /**
   * Takes one decision of a person without a token for whom another system vouches: the person's own token is used, so that the same decision again gets
   * the same answer and another is refused. `via` names the system.
   */
  decideFor(approvalId: string, approver: Principal, request: Omit<DecisionRequest, "token">, via: string): Promise<DecisionOutcome>;
}

export function createDecisions(options: DecisionsOptions): Decisions {
  const { documents, outbox, pins, security, rules, tokenOf } = options;
  const self: Decisions = {
    async look(approvalId, reader) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const records = await read(approvalId);
        if (records.refused) return damaged(records.refused);
        const approval = ofTenant(records.approval, reader);
        if (!approval) return null;
        const may = permission(reader, approval.value, records.origin);
        const over = overReason(approval.value, records.now);
        if (over !== null || !may.allowed) {
          const mayNotBecause = over ?? (may.allowed ? "" : may.reason);
          return { kind: "seen", approval: approval.value, right: { mayDecide: false, mayNotBecause } };
        }
        const decisionToken = await issueToken(approval, reader, records.now);
        if (decisionToken !== null) return { kind: "seen", approval: approval.value, right: { mayDecide: true, decisionToken } };
      }
      throw crowded(approvalId);
    },
    decide: (approvalId, approver, request) => decideBy(approvalId, approver, request, HTTP),
    async decideFor(approvalId, approver, { decision, comment, ticket }, via) {
      const seen = await self.look(approvalId, approver);
      if (!seen) return no("not_found", "There is no such approval.");
      if (seen.kind === "no") return seen;
      const token = tokenOf(approvalId, approver);
      const decided = seen.approval.decisions.some(({ tokenHash }) => tokenHash === secretHash(token));
      if (!seen.right.mayDecide && !decided) return mayNot(seen.approval, approver, decision);
      const request = { decision, token, ...(comment === undefined ? {} : { comment }), ...(ticket === undefined ? {} : { ticket }) };
      return decideBy(approvalId, approver, request, via);
    },
  };
  return self;

  async function decideBy(approvalId: string, approver: Principal, request: DecisionRequest, via: string): Promise<DecisionOutcome> {
    const tokenHash = secretHash(request.token);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const outcome = await decideOnce(approvalId, approver, request, tokenHash, via);
      if (outcome) return outcome;
    }
    throw crowded(approvalId);
  }

  /** Why somebody without a token may not decide it: it is over, or the rules say so, which operators see as well. */
  async function mayNot(approval: Approval, approver: Principal, decision: DecisionRequest["decision"]): Promise<DecisionOutcome> {
    const { approvalId, status } = approval;
    if (status !== "pending" && status !== "expired") return { ...no("already_decided", `This ended as "${status}".`), approval };
    const { now, origin } = await read(approvalId);
    if (status === "expired" || now >= approval.expiresAt)
      return { ...no("expired", "The time to decide is over. The write did not run."), approval };
    const may = permission(approver, approval, origin);
    // It did not exist a moment ago: a repeat of the request finds it.
    if (may.allowed) throw crowded(approvalId);
    const isSelf = may.rule === "self";
    const kind = isSelf ? "self_approval" : "not_allowed";
    await security(shardOf(approvalId), { kind, approvalId, by: approver.id, details: { decision, keyId: approver.keyId } });
    return no(isSelf ? "self_approval" : "forbidden", may.reason);
  }

  async function decideOnce(
    approvalId: string,
    approver: Principal,
    request: DecisionRequest,
    tokenHash: string,
    via: string,
  ): Promise<DecisionOutcome | null> {
    const { now, origin, token, ...records } = await read(approvalId, tokenHash);
    if (records.refused) return damaged(records.refused);
    const approval = ofTenant(records.approval, approver);
    if (!approval) return no("not_found", "There is no such approval.");
    const may = permission(approver, approval.value, origin);
    if (!may.allowed && may.rule === "self") return alarmed("self_approval", no("self_approval", may.reason));
    if (!token || token.value.approver !== approver.id || token.value.approvalId !== approvalId) {
      return alarmed("unknown_token", no("forbidden", "This token was not issued to you for this approval."));
    }
    const { decision, comment, ticket } = request;
    const { pin, era } = await pins.find(approval.value.toolName, approval.value.toolHash);
    const made = {
      approver: approver.id,
      decision,
      via,
      tokenHash,
      ...(comment === undefined ? {} : { comment }),
      ...(ticket === undefined ? {} : { ticket }),
    };
    const moved = decide(approval, token, made, { now, era, rules });
    if (moved.kind === "repeat") return { kind: "decided", approval: moved.approval };
    if (moved.kind === "illegal") return notPossible(moved.why, approval, token, now);
    if (!may.allowed) return alarmed("not_allowed", no("forbidden", may.reason));
    if (grantFault(moved.approval) !== null)
      return no("forbidden", "Your name in this key cannot be written into a grant. An operator has to fix the key.");
    if (ticket === undefined && needsTicket(approval.value, decision))
      return no("ticket_missing", "Approving a critical write needs its ticket.");
    const fault = decision === "approve" ? pinFault(pin, approval.value) : null;
    if (fault !== null)
      return no(
        "pin_changed",
        "The definition that you were shown is no longer enabled, so it cannot be approved. Deny it, or let it expire.",
      );
    const { outcome } = await outbox.commit(shardOf(approvalId), moved.change);
    // Stale or late: read again, and report the current state.
    return outcome === "ok" ? decided(approvalId, tokenHash) : null;

    async function alarmed(kind: "self_approval" | "unknown_token" | "not_allowed", answer: NotDecided): Promise<NotDecided> {
      await security(shardOf(approvalId), {
        kind,
        approvalId,
        by: approver.id,
        details: { decision: request.decision, keyId: approver.keyId },
      });
      return answer;
    }
  }

  async function notPossible(
    why: "final" | "expired" | "token_used" | "twice",
    read: Read<Approval>,
    token: Read<DecisionToken>,
    now: number,
  ): Promise<DecisionOutcome | null> {
    const approval = read.value;
    const { approvalId } = approval;
    switch (why) {
      case "token_used":
        await security(shardOf(approvalId), {
          kind: "token_reused",
          approvalId,
          by: token.value.approver,
          details: { first: token.value.used },
        });
        return { ...no("token_used", `This token has already decided "${token.value.used ?? ""}"; a token decides once.`), approval };
      case "twice":
        return no("forbidden", "You have already decided this: it needs another approver.");
      case "final":
        return { ...no("already_decided", `This ended as "${approval.status}".`), approval };
      case "expired": {
        const ended = expire(read, { now });
        // The timer would do it soon; a decision that comes first must not see it open.
        if (ended.kind === "move" && (await outbox.commit(shardOf(approvalId), ended.change)).outcome !== "ok") return null;
        return {
          ...no("expired", "The time to decide is over. The write did not run."),
          approval: ended.kind === "move" ? ended.approval : approval,
        };
      }
    }
  }

  /** What is stored now is the answer: a repeat of the very decision may have been first, with another time in it. */
  async function decided(approvalId: string, tokenHash: string): Promise<DecisionOutcome> {
    const { approval } = await read(approvalId);
    if (!approval) throw new Error(`Approval ${approvalId} is gone just after it was decided.`);
    return { kind: "decided", approval: asOfDecision(approval.value, tokenHash) };
  }

  /**
   * Gives the person's token, and stores its hash the first time, unless the approval changed in the meantime: however often somebody looks, one document
   * is kept for each approval and approver. The token itself is not stored.
   */
  async function issueToken(approval: Read<Approval>, approver: Principal, now: number): Promise<string | null> {
    const { approvalId, expiresAt } = approval.value;
    const token = tokenOf(approvalId, approver);
    const hash = secretHash(token);
    const key = keys.token(approvalId, hash);
    const { document } = await documents.own(key, approvalId);
    if (document.kind === "genuine") return token;
    const value: DecisionToken = { approvalId, approver: approver.id, createdAt: now, expiresAt, used: null };
    const { outcome } = await outbox.commit(shardOf(approvalId), {
      op: `token:${approvalId}:${hash}:${approval.version}`,
      guards: [
        // A forged document in its place is reported when it is read, and replaced.
        { key, version: document.kind === "refused" ? document.version : 0 },
        { key: keys.approval(approvalId), version: approval.version },
      ],
      // Readable a little longer than it is valid, so that a late person gets "expired" and not "unknown".
      put: [{ key, value, expiresAt: expiresAt + LATE_MS }],
    });
    return outcome === "ok" ? token : null;
  }

  function read(approvalId: string, tokenHash?: string): Promise<Records> {
    return documents.read(approvalId, callParts(approvalCallId(approvalId)).runId, tokenHash);
  }
}

const HTTP = "http";
const MAX_ATTEMPTS = 10;
const LATE_MS = 86_400_000;

function ofTenant(approval: Read<Approval> | null, { tenant }: Principal): Read<Approval> | null {
  return approval?.value.tenant === tenant ? approval : null;
}

/** Why it can no longer be decided; null while it is open. */
function overReason({ status, expiresAt }: Approval, now: number): string | null {
  if (status !== "pending") return `This ended as "${status}".`;
  return now >= expiresAt ? "The time to decide is over." : null;
}

/** Nothing of a document that does not count is shown: not its owner, and not its content. */
function damaged({ why }: RefusedApproval): NotDecided {
  if (why === "unsealed")
    return no("damaged", "This approval was stored without a seal, by an earlier version or by somebody else, so it cannot be decided.");
  return no("damaged", "The stored approval is not the one that the approvals service stored last, so it cannot be decided.");
}

function no(why: NotDecided["why"], reason: string): NotDecided {
  return { kind: "no", why, reason };
}

function crowded(approvalId: string): Error {
  return new Error(`Approval ${approvalId} was changed by others ${MAX_ATTEMPTS} times in a row.`);
}
