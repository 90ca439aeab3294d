import { type Static, Type } from "../schema.ts";
import { APPROVAL_OUTCOMES } from "../messages.ts";
import { parser } from "../parse.ts";
import { Plan, PlanRef } from "../plan.ts";
import { Taint } from "../taint.ts";
import { TIERS } from "../tool-definition.ts";

const closed = { additionalProperties: false } as const;

export const DECISIONS = ["approve", "deny", "revise"] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/**
 * The seal of a document that only approvals reads. It is an HMAC over the key in the store, the content and the revision. Only approvals has the
 * secret. The revision is one higher than that of the replaced document. Approvals does not act on a document without a seal.
 */
export const DocumentSeal = Type.Object({ kid: Type.String(), revision: Type.Integer({ minimum: 1 }), mac: Type.String() }, closed);
const seal = Type.Optional(DocumentSeal);

export const Decision = Type.Object(
  {
    approver: Type.String(),
    decision: Type.Enum([...DECISIONS]),
    at: Type.Integer(),
    via: Type.String(),
    tokenHash: Type.String(),
    comment: Type.Optional(Type.String()),
    ticket: Type.Optional(Type.String()),
    /** The groups of the approver that the approval asks for. */
    groups: Type.Optional(Type.Array(Type.String())),
    /** The version of the policy that was in use at the time of the decision. */
    policy: Type.Optional(Type.String()),
    /** The hash of the arguments on which this decision was made. If it is absent, these are the arguments that the agent asked for. */
    argsHash: Type.Optional(Type.String()),
    /**
     * The plan that this person saw. It is absent if the tool offers no plan. It is also absent for an edit, because nobody had planned the new
     * arguments yet.
     */
    plan: Type.Optional(PlanRef),
    /** The hash of the arguments that this decision sent instead of those on the card, before defaults were applied. */
    sent: Type.Optional(Type.String()),
  },
  closed,
);
export type Decision = Static<typeof Decision>;

/**
 * What the policy demanded when the write was asked for. A policy that is loaded later does not change these terms, so it cannot weaken a pending
 * approval. The approval's field `need` has the number of approvers.
 */
export const ApprovalTerms = Type.Object(
  {
    /** The hash of the policy's content. */
    version: Type.String(),
    /** The names of the rules that applied, in the order of the file. */
    rules: Type.Array(Type.String()),
    /** Who may decide. Each list must name the approver in one of its entries (`approver:ana`, `group:finance`, `role:…`, `scope:…`). */
    from: Type.Optional(Type.Array(Type.Array(Type.String()))),
    /** How many people of each group have to approve. */
    groups: Type.Optional(Type.Unsafe<Readonly<Record<string, number>>>({ type: "object", additionalProperties: { type: "integer" } })),
    /** The regular expressions that the ticket must match. */
    tickets: Type.Optional(Type.Array(Type.String())),
    /** The times of the reminder and of the escalation. A field is absent if there is none. */
    remindAt: Type.Optional(Type.Integer()),
    escalateAt: Type.Optional(Type.Integer()),
    /** The webhook targets of the escalation. */
    escalateTo: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);
export type ApprovalTerms = Static<typeof ApprovalTerms>;

/** The terms of the last signed grant. The relay signs the grant again from these terms, with the same id. */
export const GrantTerms = Type.Object(
  { issuedAt: Type.Integer(), expiresAt: Type.Integer(), executeBy: Type.Integer(), era: Type.Integer() },
  closed,
);
export type GrantTerms = Static<typeof GrantTerms>;

/** Who changed the arguments of an approval last, and when. */
export const ArgumentsEdited = Type.Object({ by: Type.String(), at: Type.Integer() }, closed);
export type ArgumentsEdited = Static<typeof ArgumentsEdited>;

/** The arguments of an approval before an approver changed them, with the other fields that approvers saw. */
export const EarlierArguments = Type.Object(
  {
    arguments: Type.String(),
    argsHash: Type.String(),
    effect: Type.String(),
    tier: Type.Enum([...TIERS]),
    reasons: Type.Array(Type.String()),
    need: Type.Integer(),
    policy: Type.Optional(ApprovalTerms),
    /** The edit that produced these arguments. It is absent for the arguments that the agent asked for. */
    edited: Type.Optional(ArgumentsEdited),
  },
  closed,
);
export type EarlierArguments = Static<typeof EarlierArguments>;

/** An earlier write that was approved. `by` is empty if the policy granted it. */
export const ApprovedBefore = Type.Object(
  { approvalId: Type.String(), effect: Type.String(), at: Type.Integer(), by: Type.Array(Type.String()) },
  closed,
);
export type ApprovedBefore = Static<typeof ApprovedBefore>;

/**
 * A plan that the worker of the toolset made for an approval. Only the last two plans of an approval keep their content. `proof` is the worker's
 * signature.
 */
export const ApprovalPlan = Type.Object(
  {
    hash: Type.String(),
    /** The time at which approvals accepted it. */
    at: Type.Integer(),
    /** True if the worker made this plan because the target had changed after people approved the previous plan. */
    drift: Type.Optional(Type.Literal(true)),
    /** The time until which people could decide about the plan before, if this plan came because of a drift. */
    until: Type.Optional(Type.Integer()),
    content: Type.Optional(Plan),
    proof: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type ApprovalPlan = Static<typeof ApprovalPlan>;

/** A write that needs a grant, with its decisions and its outcome. Approvals writes it to the family `approval`. */
export const Approval = Type.Object(
  {
    approvalId: Type.String(),
    callId: Type.String(),
    /** The request's own UUID, in addition to the call id. */
    correlationId: Type.String(),
    runId: Type.String(),
    conversationId: Type.String(),
    tenant: Type.String(),
    requester: Type.String(),
    agent: Type.String(),
    toolName: Type.String(),
    toolVersion: Type.String(),
    toolHash: Type.String(),
    toolset: Type.String(),
    /**
     * The arguments that people see and that a grant covers. The next fields have their tier, its reasons, the effect and the number of needed
     * approvers. If an approver changed the arguments, `earlier` has the original ones.
     */
    arguments: Type.String(),
    argsHash: Type.String(),
    tier: Type.Enum([...TIERS]),
    reasons: Type.Array(Type.String()),
    idempotency: Type.Enum(["key", "reconcile", "none"]),
    effect: Type.String(),
    /** The untrusted content that the run had read, as its agent reported it. */
    taint: Type.Optional(Taint),
    /**
     * The beginning of the requester's own message. The gateway signed the hash of the whole message. The field is absent if approvals found no
     * message with this hash.
     */
    asked: Type.Optional(Type.String()),
    /** The latest approved writes of the same requester with the same tool, newest first. It is absent if no person has to decide. */
    before: Type.Optional(Type.Array(ApprovedBefore, { maxItems: 3 })),
    need: Type.Integer(),
    status: Type.Enum(["pending", ...APPROVAL_OUTCOMES]),
    decisions: Type.Array(Decision, { maxItems: 16 }),
    requestedAt: Type.Integer(),
    expiresAt: Type.Integer(),
    endedAt: Type.Union([Type.Integer(), Type.Null()]),
    reason: Type.Optional(Type.String()),
    /** The number of answers (held or decided) that approvals sent. Each deliberate repeat has a new number. */
    sent: Type.Integer(),
    /** The last edit of the arguments. It is absent if nobody changed what the agent asked for. */
    edited: Type.Optional(ArgumentsEdited),
    /** The arguments before each edit, oldest first. The first ones are those that the agent asked for. */
    earlier: Type.Optional(Type.Array(EarlierArguments, { minItems: 1, maxItems: 8 })),
    grant: Type.Optional(GrantTerms),
    /** Present while no worker has planned the current arguments. `asked` is the number of requests for the plan. */
    planning: Type.Optional(Type.Object({ asked: Type.Integer({ minimum: 1 }) }, closed)),
    /** Every plan so far, oldest first. The last one is on the card, unless `planning` is present. The round of a plan is its place, from 1. */
    plans: Type.Optional(Type.Array(ApprovalPlan, { maxItems: 16 })),
    policy: Type.Optional(ApprovalTerms),
    /**
     * The operator who vouched for an approval without a seal. The operator also vouches for the requester, because nobody signed the origin at that
     * time.
     */
    adopted: Type.Optional(Type.Object({ by: Type.String(), at: Type.Integer() }, closed)),
    seal,
  },
  closed,
);
export type Approval = Static<typeof Approval>;

/** The right of one approver to decide one approval once. Approvals stores only the token's SHA-256, in the family `token`. */
export const DecisionToken = Type.Object(
  {
    approvalId: Type.String(),
    approver: Type.String(),
    createdAt: Type.Integer(),
    expiresAt: Type.Integer(),
    used: Type.Union([Type.Enum([...DECISIONS]), Type.Null()]),
    seal,
  },
  closed,
);
export type DecisionToken = Static<typeof DecisionToken>;

/**
 * The number of writes that the policy alone granted. It is a document because a counter could not be sealed. Approvals writes it to the family
 * `quota`.
 */
export const Quota = Type.Object({ granted: Type.Integer({ minimum: 0 }), seal }, closed);
export type Quota = Static<typeof Quota>;

export const parseQuota = parser(Quota);
export const parseApproval = parser(Approval);
export const parseDecisionToken = parser(DecisionToken);
