import { type Static, Type } from "./schema.ts";
import { EndedCall } from "./ended-call.ts";
import { LedgerNote, RUN_STATUSES, RunWrites, Usage } from "./documents/agent.ts";
import { NumberedRunEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import { Report } from "./report.ts";
import { RUN_OUTCOMES } from "./run-outcomes.ts";
import { TIERS } from "./tool-definition.ts";

// What the HTTP API answers with. Times are milliseconds since 1970 by the store's clock.
const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * The state of a run: its own status, or what a person must know about it. `accepted`: the agent has not picked it up yet. `awaiting_approval`,
 * `awaiting_answer`: it waits for people. `cancelling`: it waits for calls that were already sent.
 */
export const RUN_VIEW_STATUSES = ["accepted", ...RUN_STATUSES, "awaiting_approval", "awaiting_answer", "cancelling"] as const;
export type RunViewStatus = (typeof RUN_VIEW_STATUSES)[number];

/** What a run needs from people. */
export const Awaited = Type.Object(
  {
    kind: Type.Enum(["approval", "answer"]),
    callId: Type.String(),
    tool: Type.String(),
    approvalId: Type.Optional(Type.String()),
    question: Type.Optional(Type.String()),
    options: Type.Optional(Type.Array(Type.String())),
    expiresAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Awaited = Static<typeof Awaited>;

/** What blocks a run: an agent, its turn in the conversation, the model, people, approvals, a worker, a running tool, the calls before a write. */
export const WAIT_KINDS = ["agent", "turn", "model", "approval", "answer", "approvals", "worker", "tool", "calls"] as const;

/** One thing that a run waits for at this moment. */
export const Wait = Type.Object(
  {
    kind: Type.Enum([...WAIT_KINDS]),
    /** In a sentence. */
    says: Type.String(),
    callId: Type.Optional(Type.String()),
    tool: Type.Optional(Type.String()),
    approvalId: Type.Optional(Type.String()),
    /** Of an approval: how dangerous the write is. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** Either of these scopes, with the role approver, lets a person of the tenant decide. */
    scopes: Type.Optional(Type.Array(Type.String())),
    /** How many still have to approve it; one denial ends it. */
    approversNeeded: Type.Optional(Type.Integer()),
    /** Those who have approved it already. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    /** Those who asked for it, and so may not decide it. */
    notBy: Type.Optional(Type.Array(Type.String())),
    /** Of a turn in the conversation: the place among the runs that wait, from 1 for the next. */
    position: Type.Optional(Type.Integer()),
    /** Of a sent write: what the worker's ledger said when the agent last looked, every 15 s. */
    ledger: Type.Optional(LedgerNote),
    /** Since when. */
    since: Type.Optional(Type.Integer()),
    /** When the wait ends by itself, or the next try begins. */
    until: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Wait = Static<typeof Wait>;

export const RunView = Type.Object(
  {
    runId: Type.String(),
    conversationId: Type.String(),
    requester: Type.String(),
    createdAt: Type.Integer(),
    links: Type.Object({ self: Type.String(), events: Type.String(), cancel: Type.String(), answers: Type.String() }, closed),
    status: Type.Enum([...RUN_VIEW_STATUSES]),
    profile: Type.Optional(Type.String()),
    input: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    round: Type.Optional(Type.Integer()),
    usage: Type.Optional(Usage),
    activeMs: Type.Optional(Type.Integer()),
    startedAt: Type.Optional(OrNull(Type.Integer())),
    endedAt: Type.Optional(OrNull(Type.Integer())),
    openCalls: Type.Optional(Type.Array(Type.String())),
    awaiting: Type.Optional(Type.Array(Awaited)),
    /** Everything that blocks it, including people; present only where one run is shown, and empty once it has ended. */
    waits: Type.Optional(Type.Array(Wait)),
    answer: Type.Optional(OrNull(Type.String())),
    /** What it changed: absent until its first write has ended. */
    writes: Type.Optional(RunWrites),
    /** Every call that has ended: writes that happened first, then those that may have, then all others. Only where one run is shown, and absent before its first. */
    calls: Type.Optional(Type.Array(EndedCall)),
    /** What became of its writes, where something did that its status does not say. */
    outcomes: Type.Optional(Type.Array(Type.Enum([...RUN_OUTCOMES]))),
    /** Why it failed. */
    code: Type.Optional(Type.String()),
    report: Type.Optional(OrNull(Report)),
  },
  closed,
);
export type RunView = Static<typeof RunView>;

export const RunPage = Type.Object({ runs: Type.Array(RunView), cursor: Type.Optional(Type.String()) }, closed);
export type RunPage = Static<typeof RunPage>;

/** What happened in a run: a page of its durable events. */
export const RunHistory = Type.Object(
  {
    runId: Type.String(),
    /** In order, without gaps. */
    events: Type.Array(NumberedRunEvent),
    /** For `after`: more events follow the last of these; absent if the log ended when it was read. */
    next: Type.Optional(Type.Integer()),
  },
  closed,
);
export type RunHistory = Static<typeof RunHistory>;

export const ConversationView = Type.Object(
  {
    conversationId: Type.String(),
    profile: Type.String(),
    owner: Type.String(),
    createdAt: Type.Integer(),
    activeRun: OrNull(Type.String()),
    /** Waiting runs, the next one first. */
    queued: Type.Array(Type.String()),
    runs: Type.Integer(),
    links: Type.Object({ self: Type.String(), messages: Type.String(), context: Type.String() }, closed),
  },
  closed,
);
export type ConversationView = Static<typeof ConversationView>;

/** A page of conversations. */
export const ConversationPage = Type.Object({ conversations: Type.Array(ConversationView), cursor: Type.Optional(Type.String()) }, closed);
export type ConversationPage = Static<typeof ConversationPage>;

/** What happened to a conversation that its owner deleted. */
export const DeletedConversation = Type.Object(
  {
    conversationId: Type.String(),
    deletedAt: Type.Integer(),
    /** What is removed, in words. */
    removed: Type.Array(Type.String()),
    /** What is kept, and why. */
    kept: Type.Array(Type.Object({ what: Type.String(), why: Type.String() }, closed)),
  },
  closed,
);
export type DeletedConversation = Static<typeof DeletedConversation>;

export const MESSAGE_ROLES = ["user", "assistant", "tool"] as const;

/** One message of a conversation; its content never changes. */
export const MessageView = Type.Object(
  {
    /** `<conversationId>:<number>`, counting from 1. */
    id: Type.String(),
    role: Type.Enum([...MESSAGE_ROLES]),
    content: Type.String(),
    at: Type.Integer(),
    runId: Type.String(),
    metadata: Type.Object(
      {
        round: Type.Optional(Type.Integer()),
        provider: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        calls: Type.Optional(
          Type.Array(Type.Object({ id: Type.String(), callId: Type.String(), name: Type.String(), arguments: Type.String() }, closed)),
        ),
        /** Of the conversation's last message, if its run has ended: what became of each of the run's calls, with approvers and effects. */
        ended: Type.Optional(Type.Array(EndedCall)),
        callId: Type.Optional(Type.String()),
        transcriptId: Type.Optional(Type.String()),
        tool: Type.Optional(Type.String()),
        status: Type.Optional(Type.String()),
        isError: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
  },
  closed,
);
export type MessageView = Static<typeof MessageView>;

export const MessagePage = Type.Object(
  {
    /** Oldest first. */
    messages: Type.Array(MessageView),
    /** For `before`: earlier messages exist; absent on the oldest page. */
    before: Type.Optional(Type.Integer()),
  },
  closed,
);
export type MessagePage = Static<typeof MessagePage>;

/** What the conversation holds and has cost so far. */
export const ContextView = Type.Object(
  {
    conversationId: Type.String(),
    profile: Type.String(),
    messages: Type.Integer(),
    runs: Type.Integer(),
    /** Of all runs that have ended. */
    usage: Usage,
    provider: OrNull(Type.String()),
    model: OrNull(Type.String()),
    toolCalls: Type.Array(Type.Object({ callId: Type.String(), tool: Type.String(), status: Type.String() }, closed)),
    /** One conversation is one trace. */
    traceId: OrNull(Type.String()),
  },
  closed,
);
export type ContextView = Static<typeof ContextView>;

export const HealthView = Type.Object({ status: Type.Literal("ok") }, closed);

export const ReadinessView = Type.Object(
  {
    status: Type.Enum(["ready", "unready"]),
    /** In a few words each; empty if the service is ready. */
    reasons: Type.Array(Type.String()),
    /** What somebody should fix although the service works, a sentence each: for example, clocks that disagree. */
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);

/** What `POST /v1/runs/{id}/stream-ticket` answers; the ticket itself is a cookie. */
export const StreamTicketView = Type.Object({ runId: Type.String(), expiresAt: Type.Integer() }, closed);
