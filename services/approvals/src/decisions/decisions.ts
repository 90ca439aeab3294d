import {
  type Approval,
  approvalCallId,
  atLeast,
  callParts,
  type DecisionRequest,
  type JsonObject,
  shardOf,
  type ToolDefinition,
} from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Outbox, Principal } from "@toolbus/runtime";
import { decide, type Moment, type Read } from "../machine/approval.ts";
import { asOfDecision } from "../machine/decision-status.ts";
import type { ApprovalDocuments, Records } from "../sealed/approval-documents.ts";
import { grantFault } from "../answers/grant-claims.ts";
import { pinFault } from "../pins/pin-rules.ts";
import type { Pins } from "../pins/pins.ts";
import { countedGroups } from "../policy/check-approver.ts";
import { permission, ticketFault } from "../requests/policy.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";
import { currentToken, hasDecided, repeatedToken, type TokenOf } from "./decision-tokens.ts";
import { withEdit } from "../machine/edited.ts";
import type { PolicyDefaults } from "../policy/judge-policy.ts";
import type { Policy } from "../policy/policy.ts";
import { type DecisionOutcome, damaged, NOT_CANONICAL, no, type NotDecided, UNWANTED } from "./decision-outcome.ts";
import { issueToken } from "./issue-token.ts";
import { judgeEdit, type JudgedEdit, sentHash } from "./judge-edit.ts";
import { refuseDecision, refuseOverdue } from "./refuse-decision.ts";
import type { Right } from "./view.ts";

export interface DecisionsOptions {
  readonly documents: ApprovalDocuments;
  readonly outbox: Outbox;
  readonly pins: Pins;
  readonly security: RecordSecurityEvent;
  readonly rules: Moment["rules"];
  readonly tokenOf: TokenOf;
  /** Returns the policy in use. Each decision records the version of this policy, and this policy judges each edit. */
  readonly policy: () => Policy;
  /** What applies if the policy says nothing. */
  readonly defaults: PolicyDefaults;
}

/** Shows an approval to a person and applies the person's decision. Looking and deciding read the requester and the time from the store. */
export interface Decisions {
  /**
   * Returns the approval and, if the reader may decide it, the reader's single-use token. Returns null if the reader's tenant has no such approval.
   * It never decides anything.
   */
  look(
    approvalId: string,
    reader: Principal,
  ): Promise<{ readonly kind: "seen"; readonly approval: Approval; readonly right: Right; readonly owner?: string } | NotDecided | null>;
  /**
   * Applies one decision. If two decisions race, the store orders them. The first is accepted, and the person who made the second sees the outcome.
   * `via` names the way that the decision came, by default the API.
   */
  decide(approvalId: string, approver: Principal, request: DecisionRequest, via?: string): Promise<DecisionOutcome>;
  /** Like `decide`, for one of several decisions that the person sent together. High and critical writes are never decided this way. */
  decideAmongOthers(approvalId: string, approver: Principal, request: DecisionRequest): Promise<DecisionOutcome>;
  /**
   * Applies one decision of a person who has no token but for whom another system vouches. It uses the person's own token, so that the same decision
   * again gets the same answer and another decision is refused. `via` names the system.
   */
  decideFor(approvalId: string, approver: Principal, request: Omit<DecisionRequest, "token">, via: string): Promise<DecisionOutcome>;
  /**
   * Returns the pinned definition of a pending approval, and a judge of arguments that an approver may approve instead. Returns null if the definition
   * is no longer enabled. It never decides anything.
   */
  editing(approval: Approval, now: number): Promise<{ readonly definition: ToolDefinition; judge(args: JsonObject): JudgedEdit } | null>;
}

export function createDecisions(options: DecisionsOptions): Decisions {
  const { documents, outbox, pins, security, rules, tokenOf, policy, defaults } = options;
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
          return { kind: "seen", approval: approval.value, right: { mayDecide: false, mayNotBecause }, ...(await ownerOf(approval.value)) };
        }
        const decisionToken = await issueToken(options, approval, reader, records.now);
        if (decisionToken !== null)
          return { kind: "seen", approval: approval.value, right: { mayDecide: true, decisionToken }, ...(await ownerOf(approval.value)) };
      }
      throw crowded(approvalId);
    },
    async editing(approval, now) {
      const { pin } = await pins.find(approval.toolName, approval.toolHash);
      if (!pin || pinFault(pin, approval) !== null) return null;
      return { definition: pin.definition, judge: (args) => judgeEdit(approval, pin, args, { policy: policy(), defaults, now }) };
    },
    decide: (approvalId, approver, request, via = HTTP) => decideBy(approvalId, approver, request, { via, alone: true }),
    decideAmongOthers: (approvalId, approver, request) => decideBy(approvalId, approver, request, { via: HTTP, alone: false }),
    async decideFor(approvalId, approver, wanted, via) {
      const seen = await self.look(approvalId, approver);
      if (!seen) return no("not_found", "There is no such approval.");
      if (seen.kind === "no") return seen;
      const repeated = repeatedToken(tokenOf, seen.approval, approver, wanted);
      const token = repeated ?? currentToken(tokenOf, seen.approval, approver);
      if (!seen.right.mayDecide && repeated === null && !hasDecided(seen.approval, token))
        return mayNot(approvalId, approver, wanted.decision);
      const { decision, comment, ticket, arguments: args, argumentsHash, planHash } = wanted;
      const request: DecisionRequest = {
        decision,
        token,
        ...(comment === undefined ? {} : { comment }),
        ...(ticket === undefined ? {} : { ticket }),
        ...(args === undefined ? {} : { arguments: args }),
        ...(argumentsHash === undefined ? {} : { argumentsHash }),
        ...(planHash === undefined ? {} : { planHash }),
      };
      return decideBy(approvalId, approver, request, { via, alone: true });
    },
  };
  return self;

  /** Returns the team that the pinned definition of a pending approval names. */
  async function ownerOf({ status, toolName, toolHash }: Approval): Promise<{ readonly owner?: string }> {
    if (status !== "pending") return {};
    const { pin } = await pins.find(toolName, toolHash);
    const owner = pin?.hash === toolHash ? pin.definition.owner : undefined;
    return owner === undefined ? {} : { owner };
  }

  async function decideBy(approvalId: string, approver: Principal, request: DecisionRequest, how: How): Promise<DecisionOutcome> {
    const tokenHash = secretHash(request.token);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const outcome = await decideOnce(approvalId, approver, request, tokenHash, how);
      if (outcome) return outcome;
    }
    throw crowded(approvalId);
  }

  /**
   * Returns why somebody without a token may not decide the approval. The approval is over, or the rules forbid the decision. In the second case,
   * operators see a security event.
   */
  async function mayNot(approvalId: string, approver: Principal, decision: DecisionRequest["decision"]): Promise<DecisionOutcome> {
    const { now, origin, approval: current } = await read(approvalId);
    if (!current) throw crowded(approvalId);
    const approval = current.value;
    const { status } = approval;
    if (status !== "pending" && status !== "expired") return { ...no("already_decided", `This ended as "${status}".`), approval };
    if (status === "expired" || now >= approval.expiresAt)
      return (await refuseOverdue(outbox, current, now)) ?? mayNot(approvalId, approver, decision);
    const may = permission(approver, approval, origin);
    // The rules allow the decision now but did not a moment ago, so a repeated request can succeed.
    if (may.allowed) throw crowded(approvalId);
    if (may.rule === "place") return no("forbidden", may.reason);
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
    { via, alone }: How,
  ): Promise<DecisionOutcome | null> {
    const { now, origin, token, ...records } = await read(approvalId, tokenHash);
    if (records.refused) return damaged(records.refused);
    const approval = ofTenant(records.approval, approver);
    if (!approval) return no("not_found", "There is no such approval.");
    const { tier } = approval.value;
    if (!alone && atLeast(tier, "high")) return no("not_in_batch", `A ${tier} write is decided alone, never together with others.`);
    const may = permission(approver, approval.value, origin);
    if (!may.allowed && may.rule === "self") return alarmed("self_approval", no("self_approval", may.reason));
    if (!token || token.value.approver !== approver.id || token.value.approvalId !== approvalId) {
      return alarmed("unknown_token", no("forbidden", "This token was not issued to you for this approval."));
    }
    const { decision, comment, ticket, arguments: args, argumentsHash: seen, planHash: seenPlan } = request;
    if (args !== undefined && decision !== "approve")
      return { ...no("edit_refused", "Only the decision approve may change the arguments."), problems: [UNWANTED] };
    const sent = args === undefined ? undefined : sentHash(args);
    if (sent === null) return { ...no("edit_refused", "The edited arguments have no canonical form."), problems: [NOT_CANONICAL] };
    const { pin, era } = await pins.find(approval.value.toolName, approval.value.toolHash);
    const judged = args === undefined || !pin ? null : judgeEdit(approval.value, pin, args, { policy: policy(), defaults, now });
    const edit = judged?.ok ? judged.edit : null;
    // Whoever edits decides about the edited arguments, for which nobody has decided yet.
    const subject = edit === null ? approval.value : { ...withEdit(approval.value, edit, { by: approver.id, at: now }), decisions: [] };
    const groups = countedGroups(approver, subject);
    const made = {
      approver: approver.id,
      decision,
      via,
      tokenHash,
      policy: policy().version,
      ...(groups.length > 0 ? { groups: [...groups] } : {}),
      ...(comment === undefined ? {} : { comment }),
      ...(ticket === undefined ? {} : { ticket }),
      ...(sent === undefined ? {} : { sent }),
    };
    const moved = decide(approval, token, made, { now, era, rules }, { seen, edit, seenPlan });
    if (moved.kind === "repeat") return { kind: "decided", approval: moved.approval };
    if (moved.kind === "illegal") return refuseDecision(options, moved.why, approval, token, now);
    // Somebody else may have taken the last place of the person's group a moment ago, so the person may not have known that the decision is
    // forbidden.
    if (!may.allowed && may.rule === "place") return no("forbidden", may.reason);
    if (!may.allowed) return alarmed("not_allowed", no("forbidden", may.reason));
    // The pin's fault explains why nobody could judge the arguments, so it comes first.
    const fault = decision === "approve" ? pinFault(pin, approval.value) : null;
    if (fault !== null)
      return no(
        "pin_changed",
        "The definition that you were shown is no longer enabled, so it cannot be approved. Deny it, or let it expire.",
      );
    if (judged?.ok === false) return { ...no("edit_refused", judged.reason), problems: judged.problems };
    // A person who may decide what was asked for may not decide an edit that reaches a higher tier.
    const mayEdit = edit === null ? may : permission(approver, subject, origin);
    if (!mayEdit.allowed) return no("forbidden", `The edited arguments make this a ${edit?.tier} write. ${mayEdit.reason}`);
    if (grantFault(moved.approval) !== null)
      return no("forbidden", "Your name in this key cannot be written into a grant. An operator has to fix the key.");
    const badTicket = ticketFault(moved.approval, decision, ticket);
    if (badTicket !== null) return no(ticket === undefined ? "ticket_missing" : "ticket_wrong", badTicket);
    const { outcome } = await outbox.commit(shardOf(approvalId), moved.change);
    // If the commit is stale or late, the caller reads again and reports the current state.
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

  /** Returns the stored approval, because a repeat of the same decision may have been stored first, with another time in it. */
  async function decided(approvalId: string, tokenHash: string): Promise<DecisionOutcome> {
    const { approval } = await read(approvalId);
    if (!approval) throw new Error(`Approval ${approvalId} is gone just after it was decided.`);
    return { kind: "decided", approval: asOfDecision(approval.value, tokenHash) };
  }

  function read(approvalId: string, tokenHash?: string): Promise<Records> {
    return documents.read(approvalId, callParts(approvalCallId(approvalId)).runId, tokenHash);
  }
}

/** The channel of a decision, and whether the person made it about this approval alone. */
interface How {
  readonly via: string;
  readonly alone: boolean;
}

const HTTP = "http";
const MAX_ATTEMPTS = 10;

function ofTenant(approval: Read<Approval> | null, { tenant }: Principal): Read<Approval> | null {
  return approval?.value.tenant === tenant ? approval : null;
}

/** Returns why an approval can no longer be decided, or null while it is open. */
function overReason({ status, expiresAt }: Approval, now: number): string | null {
  if (status !== "pending") return `This ended as "${status}".`;
  return now >= expiresAt ? "The time to decide is over." : null;
}

function crowded(approvalId: string): Error {
  return new Error(`Approval ${approvalId} was changed by others ${MAX_ATTEMPTS} times in a row.`);
}
