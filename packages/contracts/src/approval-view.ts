import { type Static, Type } from "./schema.ts";
import { ArgumentChange } from "./argument-changes.ts";
import { APPROVAL_OUTCOMES } from "./messages.ts";
import { DOUBTS } from "./doubtful-words.ts";
import { ApprovalTerms, ApprovedBefore, DECISIONS } from "./documents/approval.ts";
import type { JsonObject } from "./json.ts";
import { Taint } from "./taint.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/**
 * The fields that an approver sees. All of them come from the pin and the origin, so no text is the agent's own. Times are the store's time in
 * milliseconds.
 */
const approvalFields = {
  id: Type.String(),
  callId: Type.String(),
  /**
   * The addresses at which the approval is read and decided, relative to the address of approvals. Each contains the call's id. Earlier versions do
   * not send this field. `page` is the whole address of the approval's page for people, if an operator has set `APPROVALS_PUBLIC_URL`.
   */
  links: Type.Optional(Type.Object({ self: Type.String(), decision: Type.String(), page: Type.Optional(Type.String()) }, closed)),
  correlationId: Type.String(),
  runId: Type.String(),
  /** The run that a person started. It differs from `runId` if a sub-run asks for the write. Earlier versions do not send this field. */
  rootRunId: Type.Optional(Type.String()),
  conversationId: Type.String(),
  tool: Type.String(),
  toolVersion: Type.String(),
  toolHash: Type.String(),
  toolset: Type.String(),
  /** The team that answers for the tool. Only a single pending approval has it, and only if the tool's definition names a team. */
  owner: Type.Optional(Type.String()),
  /**
   * The arguments of the call. Approvals escapes control, bidirectional and zero-width characters, and removes text that looks like a credential.
   * This field is null for a refused request, because approvals does not keep its arguments.
   */
  arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  /**
   * True if `arguments` is not exactly what is executed, because something was escaped or removed. Nobody can then send these arguments back as an
   * edit.
   */
  argumentsMasked: Type.Optional(Type.Boolean()),
  /**
   * The first 16 words on the card that may be mistaken for others (UTS #39). Such words mix scripts, look like others or contain invisible
   * characters. `place` is a JSON Pointer into this document. Earlier versions do not send this field.
   */
  doubts: Type.Optional(
    Type.Array(Type.Object({ place: Type.String(), why: Type.Enum([...DOUBTS]), word: Type.String(), spelled: Type.String() }, closed)),
  ),
  argumentsHash: Type.String(),
  /**
   * The last change of the arguments by an approver, with what the agent had asked for. All other fields are about the changed arguments. `edited` is
   * absent if nobody changed an argument.
   */
  edited: Type.Optional(
    Type.Object(
      {
        by: Type.String(),
        at: Type.Integer(),
        asked: Type.Object(
          {
            arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
            argumentsHash: Type.String(),
            effect: Type.String(),
          },
          closed,
        ),
        changes: Type.Array(ArgumentChange),
      },
      closed,
    ),
  ),
  effect: Type.String(),
  /**
   * What the write will change, as its worker computed it. The field is absent if the tool offers no plan, or while `planning` is true. A grant covers
   * exactly this plan. `drifted` is the plan that was approved before, if the target has changed since. `changes` is absent in the repeated answer to
   * an earlier decision if the approval does not keep the content of that plan any more.
   */
  plan: Type.Optional(
    Type.Object(
      {
        round: Type.Integer(),
        hash: Type.String(),
        at: Type.Integer(),
        changes: Type.Optional(Type.Array(ArgumentChange)),
        drifted: Type.Optional(
          Type.Object({ hash: Type.String(), at: Type.Integer(), changes: Type.Optional(Type.Array(ArgumentChange)) }, closed),
        ),
      },
      closed,
    ),
  ),
  /** True while no worker has planned the write. Nobody can approve the write until then. */
  planning: Type.Optional(Type.Boolean()),
  /** The untrusted content that the run had read before it asked for this write. The agent reports this content, so the field is no proof. */
  taint: Type.Optional(Taint),
  /** The beginning of the requester's own message, as the gateway accepted it. The field is absent if approvals did not find the message. */
  asked: Type.Optional(Type.String()),
  /**
   * Up to three of the latest approved writes of this requester with this tool, newest first. Approvals looks for them among the latest 200 approved
   * writes of the tenant, when the write is requested. Each `by` names the approvers, and is empty if the policy granted the write.
   */
  before: Type.Optional(Type.Array(ApprovedBefore)),
  tier: Type.Enum([...TIERS]),
  reasons: Type.Array(Type.String()),
  idempotency: Type.Object({ mode: Type.String(), inWords: Type.String() }, closed),
  requester: Type.String(),
  agent: Type.String(),
  status: Type.Enum(["pending", ...APPROVAL_OUTCOMES]),
  approversNeeded: Type.Integer(),
  decisions: Type.Array(
    Type.Object(
      {
        approver: Type.String(),
        decision: Type.Enum([...DECISIONS]),
        at: Type.Integer(),
        via: Type.String(),
        comment: Type.Optional(Type.String()),
        ticket: Type.Optional(Type.String()),
        groups: Type.Optional(Type.Array(Type.String())),
        policy: Type.Optional(Type.String()),
        /** The hash of the arguments that this person approved. It is present if an approver changed the arguments. */
        argumentsHash: Type.Optional(Type.String()),
        /**
         * True if this person approved other arguments or another plan than the ones that are shown. The decision does not count, and the person may
         * decide again.
         */
        isVoid: Type.Optional(Type.Boolean()),
        /** The hash of the plan that this person saw. It is present if the tool offers a plan and the person saw one. */
        planHash: Type.Optional(Type.String()),
      },
      closed,
    ),
  ),
  /** What the policy demanded when the write was asked for. Earlier versions do not send this field. */
  policy: Type.Optional(ApprovalTerms),
  requestedAt: Type.Integer(),
  expiresAt: Type.Integer(),
  endedAt: Type.Union([Type.Integer(), Type.Null()]),
  reason: Type.Optional(Type.String()),
};

export const ApprovalView = Type.Object(approvalFields, closed);
export type ApprovalView = Static<typeof ApprovalView>;

/** The approval, with the rights of this reader. Either the token allows one decision, or `mayNotBecause` says why the reader may not decide. */
export const ApprovalToDecide = Type.Object(
  {
    ...approvalFields,
    mayDecide: Type.Boolean(),
    decisionToken: Type.Optional(Type.String()),
    mayNotBecause: Type.Optional(Type.String()),
  },
  closed,
);
export type ApprovalToDecide = Static<typeof ApprovalToDecide>;

export const ApprovalPage = Type.Object(
  {
    approvals: Type.Array(ApprovalView),
    /** The store's time when the page was read. Earlier versions do not send this field. */
    now: Type.Optional(Type.Integer()),
    cursor: Type.Optional(Type.String()),
  },
  closed,
);
export type ApprovalPage = Static<typeof ApprovalPage>;
