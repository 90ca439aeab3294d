import {
  APPROVERS_NEEDED,
  type Approval,
  type ApprovalOutcome,
  type Decision,
  type DecisionToken,
  type GrantTerms,
  keys,
  type Quota,
} from "@toolbus/contracts";
import type { AnswerRow } from "./answer-row.ts";
import { closing, indexed, move, type Move, planTimers, timer } from "./approval-move.ts";
import type { AuditEvent } from "./audit.ts";
import { asOfDecision, statusAfter } from "./decision-status.ts";
import { counting, type Edit, withEdit } from "./edited.ts";
import { currentPlan, offersPlan } from "./planned.ts";
import type { ApprovalsConfig } from "../settings.ts";

/** A document as it was read. A change of the document is guarded by this version. */
export interface Read<T> {
  readonly version: number;
  readonly value: T;
}

/** The store's time, the era and the settings that transitions need. */
export interface Moment {
  readonly now: number;
  readonly era: number;
  readonly rules: Pick<ApprovalsConfig, "APPROVAL_EXPIRY_MS" | "EXECUTE_BY_MS" | "GRANT_TTL_MS" | "AUTO_GRANTS_PER_RUN">;
}

/** A transition that the state does not allow. It changes nothing. */
export interface Illegal<Why extends string> {
  readonly kind: "illegal";
  readonly why: Why;
}

/** The facts about a write that are known when its request arrives. */
export type Facts = Pick<
  Approval,
  | "callId"
  | "approvalId"
  | "correlationId"
  | "runId"
  | "conversationId"
  | "tenant"
  | "requester"
  | "agent"
  | "toolName"
  | "toolVersion"
  | "toolHash"
  | "toolset"
  | "arguments"
  | "argsHash"
  | "tier"
  | "reasons"
  | "idempotency"
  | "effect"
  | "taint"
  | "asked"
  | "before"
>;

/**
 * What people have to do, and until when. Policy judged it when the request arrived. `plans` is true if the tool can say beforehand what the write will
 * change.
 */
export type Terms = Pick<Approval, "need" | "expiresAt" | "policy"> & { readonly plans?: boolean };

/** Who decides about the write. People decide later, and policy decides at once. Nobody decides if a limit is reached or something is wrong. */
export type Holding = { readonly by: "people" } | { readonly by: "policy" } | { readonly by: "limit" | "refused"; readonly reason: string };

/** How often policy granted under the origin. `granted` is null if this service did not store the count, because then nobody knows the number. */
export interface GrantedSoFar {
  readonly version: number;
  readonly granted: number | null;
}

/** One person's decision before it is stored. */
export type DecisionMade = Omit<Decision, "at" | "argsHash" | "plan">;

/** What a decision says about the arguments: the hash of those that the person saw, and those that the person wants instead. */
export interface OnArguments {
  readonly seen?: string | undefined;
  readonly edit?: Edit | null;
  /** The hash of the plan that the person saw. */
  readonly seenPlan?: string | undefined;
}

/** A grant with less time left than this is renewed on request, because it could be stale when it reaches its worker. */
export const RENEW_BELOW_MS = 90_000;

/**
 * The life of an approval. Every arrow is one commit, guarded by the version of the document. A final state never changes, with one exception: if its
 * worker finds that the target has changed since, an approved write goes back to pending, or ends as refused (`plan-moves.ts`).
 *
 *     hold ─┬─ people ─▶ pending ─┬─ decide ─▶ approved · rejected · revision_requested
 *           │                     ├─ expire ─▶ expired
 *           │                     └─ cancel ─▶ cancelled
 *           ├─ policy ─▶ approved
 *           └─ limit, refused ─▶ the same
 *
 * `hold` creates the approval. Without `terms`, the tier decides how many approvers it needs, and the settings decide when it expires. `over` is the
 * version of the invalid document that this approval replaces. `quota` is the number of grants by policy so far. A grant by policy increases it in the
 * same commit. The op has the hashes of the arguments and of the definition, so the store never treats another request under the same call id as a
 * repeat.
 */
export function hold(
  facts: Facts,
  holding: Holding,
  moment: Moment,
  {
    over = 0,
    quota = null,
    terms = { need: APPROVERS_NEEDED[facts.tier], expiresAt: moment.now + moment.rules.APPROVAL_EXPIRY_MS },
  }: { readonly over?: number; readonly quota?: GrantedSoFar | null; readonly terms?: Terms } = {},
): Move {
  const { now } = moment;
  const status = statusOf(holding);
  const pending = status === "pending";
  const planning = pending && terms.plans === true ? { planning: { asked: 1 } } : {};
  const approval: Approval = {
    ...facts,
    need: terms.need,
    ...(terms.policy === undefined ? {} : { policy: terms.policy }),
    status,
    decisions: [],
    requestedAt: now,
    expiresAt: pending ? terms.expiresAt : now,
    endedAt: pending ? null : now,
    sent: 1,
    ...planning,
    ...("reason" in holding ? { reason: holding.reason.slice(0, MAX_REASON) } : {}),
    ...(status === "approved" ? { grant: freshTerms(moment) } : {}),
  };
  const counter = keys.quota(facts.runId, facts.toolName);
  return move(`hold:${facts.approvalId}:${status}:${facts.argsHash}:${facts.toolHash}`, over, approval, {
    at: now,
    events: [{ event: pending ? "held" : status, by: pending ? facts.agent : "policy" }],
    answer: pending ? "held" : "decided",
    change: pending
      ? { timers: [timer(approval, approval.expiresAt - now), ...planTimers(approval)], index: [indexed(approval, now)] }
      : {},
    ...(approval.planning === undefined ? {} : { asksPlan: true }),
    ...(holding.by === "policy" && quota !== null && quota.granted !== null
      ? { beside: [{ key: counter, version: quota.version, value: { granted: quota.granted + 1 } satisfies Quota }] }
      : {}),
  });
}

/** The outcome of a decision. It is accepted, or it is a repeat (then `approval` is as it was after the first time), or it is not allowed. */
export type Decided =
  | Move
  | { readonly kind: "repeat"; readonly approval: Approval }
  | Illegal<"final" | "expired" | "token_used" | "twice" | "older_card" | "unplanned" | "older_plan">;

/**
 * Applies one person's decision. A denial, a request for revision or enough approvers end the approval. The commit refuses a late decision. An edit
 * replaces the arguments, and approvals that were given for other arguments no longer count.
 */
export function decide(
  read: Read<Approval>,
  token: Read<DecisionToken>,
  made: DecisionMade,
  moment: Moment,
  { seen, edit = null, seenPlan }: OnArguments = {},
): Decided {
  const { now } = moment;
  const before = read.value;
  if (token.value.used === made.decision && isRepeat(before, made))
    return { kind: "repeat", approval: asOfDecision(before, made.tokenHash) };
  if (token.value.used !== null) return illegal("token_used");
  if (before.status !== "pending") return illegal(before.status === "expired" ? "expired" : "final");
  if (now > before.expiresAt) return illegal("expired");
  if (counting(before).some(({ approver }) => approver === made.approver)) return illegal("twice");
  if (isOlderCard(before, made.decision, seen)) return illegal("older_card");

  const planFault = edit === null ? planOfCard(before, made.decision, seenPlan) : null;
  if (planFault !== null) return illegal(planFault);

  const edits = edit === null ? before : withEdit(before, edit, { by: made.approver, at: now });
  // Nobody has planned the edited arguments, so the worker is asked, and people approve its plan.
  const subject: Approval = edit !== null && offersPlan(before) ? { ...edits, planning: { asked: 1 } } : edits;
  const { edited, argsHash } = subject;
  const plan = edit === null ? currentPlan(before) : null;
  const decision: Decision = {
    ...made,
    at: now,
    ...(edited === undefined ? {} : { argsHash }),
    ...(plan === null ? {} : { plan: { round: plan.round, hash: plan.hash } }),
  };
  const after: Approval = { ...subject, decisions: [...before.decisions, decision] };
  const status = statusAfter(after);
  const approval: Approval =
    status === "pending"
      ? { ...after, sent: before.sent + 1 }
      : { ...ended(after, status, now), ...(status === "approved" ? { grant: freshTerms(moment) } : {}) };
  const op = `decide:${before.approvalId}:${made.decision}:${made.tokenHash}${edit === null ? "" : `:${argsHash}`}`;
  return move(op, read.version, approval, {
    at: now,
    events: [{ event: "decision", by: made.approver }, ...(status === "pending" ? [] : [{ event: status, by: made.approver }])],
    // The answer `held` shows the agent who has approved and that another approver is needed.
    answer: status === "pending" ? "held" : "decided",
    change: {
      notAfter: before.expiresAt,
      ...(status === "pending" ? { timers: planTimers(approval) } : closing(approval)),
    },
    ...(status === "pending" && edit !== null && approval.planning !== undefined ? { asksPlan: true } : {}),
    beside: [
      { key: keys.token(before.approvalId, made.tokenHash), version: token.version, value: { ...token.value, used: made.decision } },
    ],
  });
}

/** Ends an approval that nobody decided in time. */
export function expire(read: Read<Approval>, { now }: Pick<Moment, "now">): Move | Illegal<"final" | "not_due"> {
  const before = read.value;
  if (before.status !== "pending") return illegal("final");
  if (now < before.expiresAt) return illegal("not_due");
  const approval = ended(before, "expired", now);
  return move(`expire:${before.approvalId}:${approval.sent}`, read.version, approval, {
    at: now,
    events: [{ event: "expired", by: "clock" }],
    answer: "decided",
    change: closing(approval),
  });
}

/** Cancels an approval because nobody needs the write any more. A pending approval ends. An approved one stays approved but gets no new grant. */
export function cancel(read: Read<Approval>, reason: string, { now }: Pick<Moment, "now">): Move | Illegal<"final"> {
  const before = read.value;
  const by = before.agent;
  if (before.status === "pending") {
    const approval: Approval = { ...ended(before, "cancelled", now), reason: reason.slice(0, MAX_REASON) };
    return move(`cancel:${before.approvalId}:${approval.sent}`, read.version, approval, {
      at: now,
      events: [{ event: "cancelled", by }],
      answer: "decided",
      change: closing(approval),
    });
  }
  if (before.status !== "approved" || !before.grant || before.grant.executeBy <= now) return illegal("final");
  const approval: Approval = { ...before, grant: { ...before.grant, executeBy: now } };
  return move(`cancel:${before.approvalId}:${before.sent}:grant`, read.version, approval, {
    at: now,
    events: [{ event: "withdrawn", by }],
    change: {},
  });
}

/**
 * Answers a repeated request under a new number. The answer is that the write is held, or it is the outcome. If the grant of an approved write is
 * stale, the same approval gets new terms, until `executeBy` and while its pin is unchanged. Otherwise the answer says why the write gets no grant.
 * `pinFault` says what changed about the pin, and is null if nothing did.
 */
export function resend(read: Read<Approval>, pinFault: string | null, moment: Moment): Move {
  const { now, era, rules } = moment;
  const before = read.value;
  const sent = before.sent + 1;
  const again = (approval: Approval, answer: AnswerRow["answer"], event?: AuditEvent, reason?: string): Move =>
    move(
      `resend:${before.approvalId}:${sent}`,
      read.version,
      { ...approval, sent },
      {
        at: now,
        events: event ? [{ event, by: "policy" }] : [],
        answer,
        ...(reason === undefined ? {} : { reason }),
        change: {},
      },
    );
  const { status, grant } = before;
  if (status === "pending") {
    const due = expire(read, moment);
    return due.kind === "move" ? due : again(before, "held");
  }
  if (status !== "approved" || !grant) return again(before, "decided");
  if (now >= grant.executeBy) return again(before, "lapsed", "lapsed");
  if (pinFault !== null) return again(before, "withdrawn", "withdrawn", pinFault);
  if (grant.era === era && grant.expiresAt - now >= RENEW_BELOW_MS) return again(before, "decided");
  const terms: GrantTerms = { ...grant, issuedAt: now, expiresAt: now + rules.GRANT_TTL_MS, era };
  return again({ ...before, grant: terms }, "decided", "renewed");
}

/** Returns whether this decision was made before with the same token. Another edit is another decision. */
function isRepeat({ decisions }: Approval, { tokenHash, sent }: DecisionMade): boolean {
  return decisions.find((made) => made.tokenHash === tokenHash)?.sent === sent;
}

/**
 * Returns whether the person saw arguments other than the current ones. If somebody has changed the arguments, an approval must say which arguments
 * the person saw, because the person's card may be older than the change.
 */
function isOlderCard({ argsHash, edited }: Approval, decision: Decision["decision"], seen: string | undefined): boolean {
  return seen === undefined ? decision === "approve" && edited !== undefined : seen !== argsHash;
}

/** Returns why a decision does not fit the plan on the card. A denial need not name a plan. */
function planOfCard(approval: Approval, decision: Decision["decision"], seen: string | undefined): "unplanned" | "older_plan" | null {
  if (!offersPlan(approval)) return null;
  const plan = currentPlan(approval);
  if (decision === "approve" && plan === null) return "unplanned";
  return seen === undefined ? (decision === "approve" ? "older_plan" : null) : seen === plan?.hash ? null : "older_plan";
}

// The longest reason that a message may contain.
export const MAX_REASON = 500;

function statusOf(holding: Holding): "pending" | "approved" | "limit" | "refused" {
  switch (holding.by) {
    case "people":
      return "pending";
    case "policy":
      return "approved";
    case "limit":
    case "refused":
      return holding.by;
  }
}

export function ended(before: Approval, status: ApprovalOutcome, at: number): Approval {
  return { ...before, status, endedAt: at, sent: before.sent + 1 };
}

function freshTerms({ now, era, rules }: Moment): GrantTerms {
  return { issuedAt: now, expiresAt: now + rules.GRANT_TTL_MS, executeBy: now + rules.EXECUTE_BY_MS, era };
}

export function illegal<const Why extends string>(why: Why): Illegal<Why> {
  return { kind: "illegal", why };
}
