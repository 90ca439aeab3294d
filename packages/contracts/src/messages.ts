import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const CallId = Type.String({ pattern: ID_PATTERNS.call });
const ToolName = Type.String({ minLength: 1, maxLength: 128 });

/** Body of `tool.invoke.<toolset>`: exactly these four; `arguments` is canonical JSON text (RFC 8785). */
export const ToolInvoke = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    arguments: Type.String({ maxLength: 65_536 }),
    sessionId: Type.String({ pattern: ID_PATTERNS.conversation }),
  },
  closed,
);
export type ToolInvoke = Static<typeof ToolInvoke>;

/** Body of an answer, type `toolbus.tool.result`. */
export const ToolResponse = Type.Object(
  { toolCallId: CallId, toolName: ToolName, content: Type.String(), isError: Type.Boolean() },
  closed,
);
export type ToolResponse = Static<typeof ToolResponse>;

/** Body of a failure, type `toolbus.tool.error`; field-level details travel as an attribute. */
export const ToolFailure = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    code: Type.String({ maxLength: 64 }),
    message: Type.String({ maxLength: 4000 }),
    isRetryable: Type.Boolean(),
  },
  closed,
);
export type ToolFailure = Static<typeof ToolFailure>;

/** What comes on `tool.result.<agent>`. */
export const ToolAnswer = Type.Union([ToolResponse, ToolFailure]);
export type ToolAnswer = Static<typeof ToolAnswer>;

/** A call in the state in which somebody saw it: how often it was sent to workers, and how often approvals was asked for it. */
export const SeenCall = Type.Object(
  { callId: CallId, dispatch: Type.Integer({ minimum: 0 }), requests: Type.Integer({ minimum: 0 }) },
  closed,
);
export type SeenCall = Static<typeof SeenCall>;

/**
 * Body of `run.wake`: a hint that a run can advance. With an entry, the gateway accepted something for the run. With a call, an operator wants this call
 * looked at now, unless it was sent or requested again since. With a delivery, an operator wants this given-up delivery of a webhook tried again.
 */
export const RunWake = Type.Object(
  {
    runId: Type.String({ pattern: ID_PATTERNS.run }),
    entryId: Type.Optional(Type.String({ maxLength: 160 })),
    call: Type.Optional(SeenCall),
    delivery: Type.Optional(Type.String({ pattern: ID_PATTERNS.delivery })),
  },
  closed,
);
export type RunWake = Static<typeof RunWake>;

/** Body of `approval.request`: a write that needs a grant. What approvals shows and grants comes from its own pin, not from here. */
export const ApprovalRequest = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    toolVersion: Type.String({ maxLength: 32 }),
    toolHash: Type.String({ maxLength: 64 }),
    arguments: Type.String({ maxLength: 65_536 }),
    sessionId: Type.String({ pattern: ID_PATTERNS.conversation }),
  },
  closed,
);
export type ApprovalRequest = Static<typeof ApprovalRequest>;

/** Why an agent withdraws a request. A list instead of text, because people read approvals' own sentence for each. */
export const CANCEL_REASONS = ["not_needed", "run_cancelled"] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** Body of `approval.cancel`: nobody needs this decision any more. Signed by the agent that asked. */
export const ApprovalCancel = Type.Object({ toolCallId: CallId, reason: Type.Enum([...CANCEL_REASONS]) }, closed);
export type ApprovalCancel = Static<typeof ApprovalCancel>;

/**
 * Body of `approval.rollback`: a process noticed that the store lost commits of these shards. `seenAt`: when it had last seen one of them, by the store's
 * clock, so that approvals can distinguish a known loss from a new one. Signed by its sender.
 */
export const ApprovalRollback = Type.Object(
  {
    losses: Type.Array(Type.Object({ shard: Type.String({ pattern: ID_PATTERNS.shard }), seenAt: Type.Integer({ minimum: 0 }) }, closed), {
      minItems: 1,
      maxItems: 256,
    }),
  },
  closed,
);
export type ApprovalRollback = Static<typeof ApprovalRollback>;

/** Body of `approval.held.<agent>`: people have been asked. It comes again when one of several approvers has approved. */
export const ApprovalHeld = Type.Object(
  {
    toolCallId: CallId,
    approvalId: Type.String({ pattern: ID_PATTERNS.approval }),
    tier: Type.Enum([...TIERS]),
    expiresAt: Type.Integer(),
    effect: Type.String({ maxLength: 2000 }),
    /** Those who have approved so far; absent before the first. */
    approvedBy: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })),
  },
  closed,
);
export type ApprovalHeld = Static<typeof ApprovalHeld>;

/** How an approval ends. */
export const APPROVAL_OUTCOMES = ["approved", "rejected", "revision_requested", "expired", "cancelled", "limit", "refused"] as const;
export type ApprovalOutcome = (typeof APPROVAL_OUTCOMES)[number];

/** Body of `approval.decided.<agent>`; with `approved`, the signed grant is an attribute. */
export const ApprovalDecided = Type.Object(
  {
    toolCallId: CallId,
    approvalId: Type.String({ pattern: ID_PATTERNS.approval }),
    outcome: Type.Enum([...APPROVAL_OUTCOMES]),
    comment: Type.Optional(Type.String({ maxLength: 2000 })),
    decidedBy: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })),
    grantExpiresAt: Type.Optional(Type.Integer()),
    executeBy: Type.Optional(Type.Integer()),
    /** For `refused`: the problem that approvals found, in words for the model. */
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  },
  closed,
);
export type ApprovalDecided = Static<typeof ApprovalDecided>;

/** Body of `tool.cancel`: a hint that nobody waits for this call any more. */
export const ToolCancel = Type.Object({ toolCallId: CallId }, closed);
export type ToolCancel = Static<typeof ToolCancel>;

/** Body of `tool.progress.<agent>`: the progress of a tool; best effort. `secretHash` proves that the sender saw the invoke. */
export const ToolProgress = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    /** Rises within a call. */
    n: Type.Integer({ minimum: 1 }),
    message: Type.String({ maxLength: 500 }),
    fraction: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    secretHash: Type.String({ maxLength: 80 }),
  },
  closed,
);
export type ToolProgress = Static<typeof ToolProgress>;

/** Body of `tool.announce`: a toolset's registrations changed. */
export const ToolAnnounce = Type.Object({ toolset: Type.String(), tools: Type.Array(Type.String()) }, closed);
export type ToolAnnounce = Static<typeof ToolAnnounce>;

/** Body of `tool.refresh`: workers register and announce their tools again; those of one toolset, or all. */
export const ToolRefresh = Type.Object({ toolset: Type.Optional(Type.String({ maxLength: 32 })) }, closed);
export type ToolRefresh = Static<typeof ToolRefresh>;

/** Body of `operations.replay`: an operator asked for the replay of this dead letter. The gateway's own document says who asked, and when. */
export const OperationsReplay = Type.Object({ letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }) }, closed);
export type OperationsReplay = Static<typeof OperationsReplay>;

/** CloudEvents `type` of each message. */
export const messageTypes = {
  toolInvoke: "toolbus.tool.invoke",
  toolResult: "toolbus.tool.result",
  toolError: "toolbus.tool.error",
  grantStale: "toolbus.tool.grant_stale",
  toolCancel: "toolbus.tool.cancel",
  toolProgress: "toolbus.tool.progress",
  toolAnnounce: "toolbus.tool.announce",
  toolRefresh: "toolbus.tool.refresh",
  runWake: "toolbus.run.wake",
  approvalRequest: "toolbus.approval.request",
  approvalCancel: "toolbus.approval.cancel",
  approvalRollback: "toolbus.approval.rollback",
  approvalHeld: "toolbus.approval.held",
  approvalDecided: "toolbus.approval.decided",
  operationsReplay: "toolbus.operations.replay",
  deadLetter: "toolbus.dead_letter",
} as const;
