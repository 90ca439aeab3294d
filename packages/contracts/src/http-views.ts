import { type Static, Type } from "./schema.ts";
import { EndedCall } from "./ended-call.ts";
import { LedgerNote, RUN_STATUSES, RunWrites, Usage } from "./documents/agent.ts";
import { NumberedRunEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import { Report } from "./report.ts";
import { Verdict } from "./verdict/verdict.ts";
import { RUN_OUTCOMES } from "./run-outcomes.ts";
import { TIERS } from "./tool-definition.ts";

// These schemas describe the answers of the HTTP API. Times are milliseconds since 1970 by the store's clock.
const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * The state of a run as people see it. It is `accepted` until the agent has picked up the run. It is `awaiting_approval` or `awaiting_answer` while
 * the run waits for people. It is `cancelling` while a cancelled run waits for calls that were already sent.
 */
export const RUN_VIEW_STATUSES = ["accepted", ...RUN_STATUSES, "awaiting_approval", "awaiting_answer", "cancelling"] as const;
export type RunViewStatus = (typeof RUN_VIEW_STATUSES)[number];

/** A decision or an answer from people that a run waits for. */
export const Awaited = Type.Object(
  {
    /** With `answer`, the model asks. With `question`, a tool asks while it runs. */
    kind: Type.Enum(["approval", "answer", "question"]),
    callId: Type.String(),
    tool: Type.String(),
    approvalId: Type.Optional(Type.String()),
    question: Type.Optional(Type.String()),
    options: Type.Optional(Type.Array(Type.String())),
    questionId: Type.Optional(Type.String()),
    /** The source of the tool that asks, such as `mcp:<server>`. */
    from: Type.Optional(Type.String()),
    /** True if strangers may have written the question and its form. */
    untrusted: Type.Optional(Type.Boolean()),
    /** The schema of the answer to a question of a tool. */
    form: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    expiresAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Awaited = Static<typeof Awaited>;

/**
 * The kinds of things that a run can wait for: an agent, its turn in the conversation, the model, people, approvals, a worker, a running tool, or the
 * calls before a write.
 */
export const WAIT_KINDS = ["agent", "turn", "model", "approval", "answer", "approvals", "worker", "tool", "calls"] as const;

/** One thing that blocks a run at this moment. */
export const Wait = Type.Object(
  {
    kind: Type.Enum([...WAIT_KINDS]),
    /** A sentence that describes the wait. */
    says: Type.String(),
    callId: Type.Optional(Type.String()),
    tool: Type.Optional(Type.String()),
    approvalId: Type.Optional(Type.String()),
    /** The tier of the write, if the run waits for an approval. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** The scopes that let a person of the tenant decide. The person needs the role approver and one of these scopes. */
    scopes: Type.Optional(Type.Array(Type.String())),
    /** The number of people who still have to approve the write. One denial ends the approval. */
    approversNeeded: Type.Optional(Type.Integer()),
    /** The people who have already approved the write. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    /** The people who asked for the write. They may not decide it. */
    notBy: Type.Optional(Type.Array(Type.String())),
    /** The place of the run among the waiting runs of its conversation. The next run has the place 1. */
    position: Type.Optional(Type.Integer()),
    /** The ledger's record of a sent write when the agent last read the ledger. The agent reads it every 15 s. */
    ledger: Type.Optional(LedgerNote),
    /** The time when the wait began. */
    since: Type.Optional(Type.Integer()),
    /** The time when the wait ends by itself, or when the next try begins. */
    until: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Wait = Static<typeof Wait>;

/** A report with its findings in their parts. The stored report has only the texts, so that an older process can read it. */
export const ReportView = Type.Object({ ...Report.properties, verdict: Type.Optional(Verdict) }, closed);
export type ReportView = Static<typeof ReportView>;

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
    /** Everything that blocks the run, including people. The list is present only in the view of a single run. It is empty once the run has ended. */
    waits: Type.Optional(Type.Array(Wait)),
    answer: Type.Optional(OrNull(Type.String())),
    /** True if the model's last reply reached its longest length. The answer then lacks its end, and the calls of that reply were not made. */
    truncated: Type.Optional(Type.Literal(true)),
    /** The changes that the run made. This field is absent until the first write has ended. */
    writes: Type.Optional(RunWrites),
    /**
     * Every call that has ended: first the writes that happened, then those that may have happened, then all other calls. The list is present only in
     * the view of a single run, once a call has ended.
     */
    calls: Type.Optional(Type.Array(EndedCall)),
    /** The outcomes of the run's writes that its status does not show. The list is absent if there are none. */
    outcomes: Type.Optional(Type.Array(Type.Enum([...RUN_OUTCOMES]))),
    /** The code of the reason why the run failed. */
    code: Type.Optional(Type.String()),
    report: Type.Optional(OrNull(ReportView)),
  },
  closed,
);
export type RunView = Static<typeof RunView>;

export const RunPage = Type.Object({ runs: Type.Array(RunView), cursor: Type.Optional(Type.String()) }, closed);
export type RunPage = Static<typeof RunPage>;

/** A page of the durable events of a run. */
export const RunHistory = Type.Object(
  {
    runId: Type.String(),
    /** The events in order, without gaps. */
    events: Type.Array(NumberedRunEvent),
    /** The value of `after` for the next page. It is absent if no event followed these when the log was read. */
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
    /** The waiting runs. The first one starts next. */
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

/** The result of deleting a conversation. */
export const DeletedConversation = Type.Object(
  {
    conversationId: Type.String(),
    deletedAt: Type.Integer(),
    /** A description of the removed data. */
    removed: Type.Array(Type.String()),
    /** The data that is kept, with the reasons. */
    kept: Type.Array(Type.Object({ what: Type.String(), why: Type.String() }, closed)),
  },
  closed,
);
export type DeletedConversation = Static<typeof DeletedConversation>;

export const MESSAGE_ROLES = ["user", "assistant", "tool"] as const;

/** One message of a conversation. Its content never changes. */
export const MessageView = Type.Object(
  {
    /** The id `<conversationId>:<number>`, with numbers from 1. */
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
          Type.Array(
            Type.Object(
              {
                id: Type.String(),
                callId: Type.String(),
                name: Type.String(),
                arguments: Type.String(),
                /** The tool that was called, if the arguments name it. */
                tool: Type.Optional(Type.String()),
              },
              closed,
            ),
          ),
        ),
        /**
         * The ended calls of the run, with approvers and effects. Only the conversation's last message has them, and only after its run has ended.
         */
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
    /** The messages of the page, oldest first. */
    messages: Type.Array(MessageView),
    /** The value of `before` for the page with earlier messages. It is absent on the oldest page. */
    before: Type.Optional(Type.Integer()),
  },
  closed,
);
export type MessagePage = Static<typeof MessagePage>;

/** The content of the conversation and its usage so far. */
export const ContextView = Type.Object(
  {
    conversationId: Type.String(),
    profile: Type.String(),
    messages: Type.Integer(),
    runs: Type.Integer(),
    /** The usage of all ended runs. */
    usage: Usage,
    provider: OrNull(Type.String()),
    model: OrNull(Type.String()),
    toolCalls: Type.Array(Type.Object({ callId: Type.String(), tool: Type.String(), status: Type.String() }, closed)),
    /** The trace of the conversation. One conversation is one trace. */
    traceId: OrNull(Type.String()),
  },
  closed,
);
export type ContextView = Static<typeof ContextView>;

export const HealthView = Type.Object({ status: Type.Literal("ok") }, closed);

export const ReadinessView = Type.Object(
  {
    status: Type.Enum(["ready", "unready"]),
    /** The reasons why the service is not ready, in a few words each. The list is empty if it is ready. */
    reasons: Type.Array(Type.String()),
    /** Faults that somebody should fix although the service works, one sentence each. An example is a large difference between two clocks. */
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);

/** The body of the answer to `POST /v1/runs/{id}/stream-ticket`. The ticket itself is a cookie. */
export const StreamTicketView = Type.Object({ runId: Type.String(), expiresAt: Type.Integer() }, closed);
