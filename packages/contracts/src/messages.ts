import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { Plan } from "./plan.ts";
import { Taint } from "./taint.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const CallId = Type.String({ pattern: ID_PATTERNS.call });
const ToolName = Type.String({ minLength: 1, maxLength: 128 });

/** The body of `tool.invoke.<toolset>`. It has exactly these four fields, and `arguments` is canonical JSON text (RFC 8785). */
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

/** The body of an answer, type `toolbus.tool.result`. */
export const ToolResponse = Type.Object(
  { toolCallId: CallId, toolName: ToolName, content: Type.String(), isError: Type.Boolean() },
  closed,
);
export type ToolResponse = Static<typeof ToolResponse>;

/** The body of a failure, type `toolbus.tool.error`. Details about fields are sent as an attribute. */
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

/** The body of a message on `tool.result.<agent>`. */
export const ToolAnswer = Type.Union([ToolResponse, ToolFailure]);
export type ToolAnswer = Static<typeof ToolAnswer>;

/** The state of a call when somebody saw it: how often the agent had sent it to workers, and how often it had asked approvals about it. */
export const SeenCall = Type.Object(
  { callId: CallId, dispatch: Type.Integer({ minimum: 0 }), requests: Type.Integer({ minimum: 0 }) },
  closed,
);
export type SeenCall = Static<typeof SeenCall>;

/** The body of `tool.plan.<toolset>`. Approvals asks what this write would change. The worker must change nothing because of this message. */
export const ToolPlan = Type.Object(
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
export type ToolPlan = Static<typeof ToolPlan>;

/**
 * The body of `approval.planned`. It has the worker's plan, or the problem that prevented a plan. The attribute `toolbus-receipt` has the proof of
 * the toolset. `drifted` is the round of the plan in a grant. It is present if the worker found that the target has changed since that plan.
 */
export const ApprovalPlanned = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    plan: Type.Optional(Plan),
    problem: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    drifted: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  },
  closed,
);
export type ApprovalPlanned = Static<typeof ApprovalPlanned>;

/**
 * The body of `run.wake`, a hint that a run can advance. `entryId` means that the gateway accepted an entry for the run. `call` means that an
 * operator wants the agent to check this call now. The agent ignores it if it has sent or requested the call again since. `delivery` means that an
 * operator wants a retry of a webhook that was given up.
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

/**
 * The body of `approval.request`, which asks for the grant of a write. Approvals shows and grants the definition of its own pin, not the content of
 * this message.
 */
export const ApprovalRequest = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    toolVersion: Type.String({ maxLength: 32 }),
    toolHash: Type.String({ maxLength: 64 }),
    arguments: Type.String({ maxLength: 65_536 }),
    sessionId: Type.String({ pattern: ID_PATTERNS.conversation }),
    /**
     * The untrusted content that the run had read when it asked. Such content raises the tier at least to high. The field is absent if the run had
     * read none.
     */
    taint: Type.Optional(Taint),
  },
  closed,
);
export type ApprovalRequest = Static<typeof ApprovalRequest>;

/** The reasons why an agent withdraws a request. They are codes, because people read approvals' own sentence for each. */
export const CANCEL_REASONS = ["not_needed", "run_cancelled"] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** The body of `approval.cancel`. It says that nobody needs this decision any more. The agent that asked for the decision signs it. */
export const ApprovalCancel = Type.Object({ toolCallId: CallId, reason: Type.Enum([...CANCEL_REASONS]) }, closed);
export type ApprovalCancel = Static<typeof ApprovalCancel>;

/**
 * The body of `approval.rollback`. A process reports that the store lost commits of these shards. `seenAt` is the time when the process had last seen
 * one of them, by the store's clock. Approvals uses this time to distinguish a known loss from a new one. The sender signs the message.
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

/**
 * The body of `approval.held.<agent>`. It says that people have been asked. Approvals sends this message again when one of several approvers has
 * approved.
 */
export const ApprovalHeld = Type.Object(
  {
    toolCallId: CallId,
    approvalId: Type.String({ pattern: ID_PATTERNS.approval }),
    tier: Type.Enum([...TIERS]),
    expiresAt: Type.Integer(),
    effect: Type.String({ maxLength: 2000 }),
    /** The people who have approved so far. The field is absent before the first approval. */
    approvedBy: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })),
    /** How many people have to approve. The field is absent if it is the tier's own number. */
    approversNeeded: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
  },
  closed,
);
export type ApprovalHeld = Static<typeof ApprovalHeld>;

/** The ways in which an approval ends. */
export const APPROVAL_OUTCOMES = ["approved", "rejected", "revision_requested", "expired", "cancelled", "limit", "refused"] as const;
export type ApprovalOutcome = (typeof APPROVAL_OUTCOMES)[number];

/** The body of `approval.decided.<agent>`. With the outcome `approved`, the signed grant is an attribute. */
export const ApprovalDecided = Type.Object(
  {
    toolCallId: CallId,
    approvalId: Type.String({ pattern: ID_PATTERNS.approval }),
    outcome: Type.Enum([...APPROVAL_OUTCOMES]),
    comment: Type.Optional(Type.String({ maxLength: 2000 })),
    decidedBy: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })),
    grantExpiresAt: Type.Optional(Type.Integer()),
    executeBy: Type.Optional(Type.Integer()),
    /**
     * The arguments that the grant covers, as canonical JSON text, and the effect with them. They are present if an approver changed what the agent
     * asked for.
     */
    arguments: Type.Optional(Type.String({ maxLength: 65_536 })),
    effect: Type.Optional(Type.String({ maxLength: 2000 })),
    /** The problem that approvals found, in words for the model. Only the outcome `refused` has it. */
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  },
  closed,
);
export type ApprovalDecided = Static<typeof ApprovalDecided>;

/** The body of `tool.cancel`, a hint that nobody waits for this call any more. */
export const ToolCancel = Type.Object({ toolCallId: CallId }, closed);
export type ToolCancel = Static<typeof ToolCancel>;

/** The body of `tool.progress.<agent>`, which reports the progress of a tool and may be lost. `secretHash` proves that the sender saw the invoke. */
export const ToolProgress = Type.Object(
  {
    toolCallId: CallId,
    toolName: ToolName,
    /** The number of the report. It rises within a call. */
    n: Type.Integer({ minimum: 1 }),
    message: Type.String({ maxLength: 500 }),
    fraction: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** True if the stored questions of the call have changed. */
    questions: Type.Optional(Type.Boolean()),
    secretHash: Type.String({ maxLength: 80 }),
  },
  closed,
);
export type ToolProgress = Static<typeof ToolProgress>;

/** The body of `tool.announce`. It says that a toolset's registrations changed. */
export const ToolAnnounce = Type.Object({ toolset: Type.String(), tools: Type.Array(Type.String()) }, closed);
export type ToolAnnounce = Static<typeof ToolAnnounce>;

/** The body of `tool.refresh`. It asks the workers of one toolset, or of all toolsets, to register and announce their tools again. */
export const ToolRefresh = Type.Object({ toolset: Type.Optional(Type.String({ maxLength: 32 })) }, closed);
export type ToolRefresh = Static<typeof ToolRefresh>;

/**
 * The body of `operations.replay`. It says that an operator asked for the replay of this dead letter. The gateway's own document records who asked,
 * and when.
 */
export const OperationsReplay = Type.Object({ letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }) }, closed);
export type OperationsReplay = Static<typeof OperationsReplay>;

/** The CloudEvents `type` of each message. */
export const messageTypes = {
  toolInvoke: "toolbus.tool.invoke",
  toolResult: "toolbus.tool.result",
  toolError: "toolbus.tool.error",
  grantStale: "toolbus.tool.grant_stale",
  toolCancel: "toolbus.tool.cancel",
  toolProgress: "toolbus.tool.progress",
  toolAnnounce: "toolbus.tool.announce",
  toolRefresh: "toolbus.tool.refresh",
  mcpServersIndexed: "toolbus.mcp.servers_indexed",
  mcpMetadataRefresh: "toolbus.mcp.metadata_refresh",
  runWake: "toolbus.run.wake",
  approvalRequest: "toolbus.approval.request",
  approvalCancel: "toolbus.approval.cancel",
  approvalRollback: "toolbus.approval.rollback",
  toolPlan: "toolbus.tool.plan",
  approvalPlanned: "toolbus.approval.planned",
  approvalHeld: "toolbus.approval.held",
  approvalDecided: "toolbus.approval.decided",
  operationsReplay: "toolbus.operations.replay",
  deadLetter: "toolbus.dead_letter",
} as const;
