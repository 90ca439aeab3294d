import { type Static, Type } from "../schema.ts";
import { ArgumentChange } from "../argument-changes.ts";
import type { JsonObject } from "../json.ts";
import { OfferedChoice } from "../offered-choice.ts";
import { parser } from "../parse.ts";
import { ContentRef, ToolResult } from "../result.ts";
import { Report } from "../report.ts";
import { RESULT_STATUSES } from "../error-codes.ts";
import { Taint } from "../taint.ts";
import { TIERS } from "../tool-definition.ts";
import { Scopes, ToolEntries } from "../tool-rights.ts";
import { Lease } from "./ledger.ts";
import { MAX_QUESTIONS, QuestionId } from "./question.ts";

const closed = { additionalProperties: false } as const;

/**
 * The usage so far. Input tokens include those that a vendor's cache read or wrote. Output tokens include those of reasoning. A figure that nobody
 * reported is absent, not zero.
 */
export const Usage = Type.Object(
  {
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    modelCalls: Type.Integer(),
    toolCalls: Type.Integer(),
    cacheReadTokens: Type.Optional(Type.Integer()),
    cacheWriteTokens: Type.Optional(Type.Integer()),
    reasoningTokens: Type.Optional(Type.Integer()),
    /** The cost of the calls whose price is known, in millionths of a US dollar. */
    costMicroUsd: Type.Optional(Type.Integer()),
    /** The number of model calls whose price is unknown. The real cost may therefore be higher than the stated one. */
    unpricedCalls: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Usage = Static<typeof Usage>;

/** The largest number of runs that may wait in one conversation. */
export const MAX_QUEUED_RUNS = 64;

/** A run that waits until the earlier runs of its conversation have ended. */
export const QueuedRun = Type.Object(
  {
    runId: Type.String(),
    /**
     * The number of the commit that accepted the run's message. Waiting runs start in this order, even if the agent learns of them in another order.
     */
    accepted: Type.Integer(),
    /** True if the run's message asked to interrupt the active run. Such a run starts before the runs that only wait. */
    interrupts: Type.Boolean(),
  },
  closed,
);
export type QueuedRun = Static<typeof QueuedRun>;

/** The largest number of called tools that a conversation remembers. */
export const MAX_CALLED_TOOLS = 8;

/** The state of one conversation: its active run, its waiting runs and its usage. The agent writes it to the family `conversation`. */
export const ConversationState = Type.Object(
  {
    conversationId: Type.String(),
    activeRun: Type.Union([Type.String(), Type.Null()]),
    /** The waiting runs. The first one starts next. */
    queue: Type.Array(QueuedRun, { maxItems: MAX_QUEUED_RUNS }),
    /** The number of runs so far. A run's ordinal keeps the ids of its seed calls distinct. */
    runs: Type.Integer(),
    /** The usage of all ended runs. */
    usage: Usage,
    /** The model of the last turn, or null before the first turn. */
    model: Type.Union([Type.Object({ provider: Type.String(), model: Type.String() }, closed), Type.Null()]),
    /** True if the transcript contains an index of a result in working memory. */
    workingMemory: Type.Optional(Type.Boolean()),
    /** Registered tools that runs of the conversation called, about the latest first. Later runs are offered them again. */
    called: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_CALLED_TOOLS })),
    /** The untrusted content that runs of the conversation have read. Later runs read it in the transcript. */
    taint: Type.Optional(Taint),
    /** The time when the owner deleted the conversation. Its content is then removed, and no run begins in it any more. */
    deletedAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type ConversationState = Static<typeof ConversationState>;

export const RUN_STATUSES = ["queued", "ready", "waiting", "done", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A tool of a run. It does not change after the run has begun. */
export const RunTool = Type.Object({ name: Type.String(), version: Type.String(), hash: Type.String(), toolset: Type.String() }, closed);
export type RunTool = Static<typeof RunTool>;

/** A call of the current round, with the facts that the run's document needs for the join. */
export const OpenCall = Type.Object({ callId: Type.String(), write: Type.Boolean(), resolved: Type.Boolean() }, closed);
export type OpenCall = Static<typeof OpenCall>;

/** The largest number of writes that a run's document and its view list. The counts include the unlisted writes. */
export const MAX_LISTED_WRITES = 20;

/** One write of a run, with its outcome. */
export const RunWrite = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    /**
     * The status of the result. `ok` means that the write happened, and `outcome_unknown` means that it may have happened. With any other status it
     * did not happen.
     */
    status: Type.String(),
    /** The error code of the result, if the result is an error. */
    code: Type.Optional(Type.String()),
    approvalId: Type.Optional(Type.String()),
    /** The people who approved the write, or `policy`. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    /** The effect of the write, from the `effect` text of its tool. It is absent if the tool has no such text. */
    effect: Type.Optional(Type.String()),
    /** True if an approver changed the arguments. `effect` then describes the changed arguments. */
    edited: Type.Optional(Type.Boolean()),
    /** The time when the outcome became known, if the write was joined as `outcome_unknown`. `status` is then the later outcome. */
    settledAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type RunWrite = Static<typeof RunWrite>;

/** The changes that a run has made so far: the counts of its writes, and the latest writes in the order in which they ended. */
export const RunWrites = Type.Object(
  {
    happened: Type.Integer(),
    /** The number of writes that may or may not have happened. */
    unknown: Type.Integer(),
    latest: Type.Array(RunWrite, { maxItems: MAX_LISTED_WRITES }),
  },
  closed,
);
export type RunWrites = Static<typeof RunWrites>;

/** The end of a run, with its last text and the code of a failure. */
export const RunEnding = Type.Object(
  { text: Type.String(), code: Type.Optional(Type.String()), truncated: Type.Optional(Type.Boolean()) },
  closed,
);
export type RunEnding = Static<typeof RunEnding>;

/** A run, which is the work on one message of a person. The agent writes it to the family `run`. */
export const Run = Type.Object(
  {
    runId: Type.String(),
    conversationId: Type.String(),
    agent: Type.String(),
    profile: Type.String(),
    /** The hash of the profile with which the run began. Its text is under `keys.profileText`. Runs that are older than this field do not have it. */
    profileHash: Type.Optional(Type.String({ maxLength: 64 })),
    input: Type.Unsafe<JsonObject>({ type: "object" }),
    /** The person's message while the run is queued. The message is in the transcript once the run has started. */
    message: Type.Union([
      Type.Object({ text: Type.String(), at: Type.Integer(), note: Type.Optional(Type.String()) }, closed),
      Type.Null(),
    ]),
    /** How the tools were chosen, while the run is queued. The event `run.started` has it afterwards. */
    choice: Type.Optional(OfferedChoice),
    /** The run's number in its conversation. The first run has the number 1. */
    ordinal: Type.Integer(),
    /** The number of the commit that accepted the run's message. */
    accepted: Type.Integer(),
    /** The W3C trace context that the run's steps continue. */
    traceparent: Type.Optional(Type.String()),
    status: Type.Enum([...RUN_STATUSES]),
    tools: Type.Array(RunTool),
    /** The tools that the requester may use, from the run's origin. Runs that are older than this field do not have it. */
    rights: Type.Optional(Type.Object({ scopes: Scopes, tools: Type.Optional(ToolEntries) }, closed)),
    registryVersion: Type.String(),
    /** The number of the next round. The seed round is 0. */
    round: Type.Integer(),
    epoch: Type.Integer(),
    lease: Type.Union([Lease, Type.Null()]),
    /** The number of times that agents acquired the run since the last commit of a turn. The agent ends a run whose turns cannot be committed. */
    attempts: Type.Integer(),
    /** The failed model calls of this round and the delay before the next one. The field is absent if no call failed. */
    modelFailures: Type.Optional(Type.Object({ count: Type.Integer(), waitMs: Type.Integer() }, closed)),
    /** The earliest time of the next step, by the store's clock. It is set after a failed model call that the agent retries. */
    notBefore: Type.Optional(Type.Integer()),
    /** The time that the run spent in the model and in tools, in milliseconds. The clock stops while people decide and while no worker is alive. */
    activeMs: Type.Integer(),
    /** The start of the current step, for `activeMs`. */
    stepStartedAt: Type.Integer(),
    pending: Type.Integer(),
    /** The number of events in the run's log, which is also the sequence number of the last event. */
    events: Type.Integer(),
    calls: Type.Array(OpenCall, { maxItems: 32 }),
    cancel: Type.Union([Type.Object({ entryId: Type.String(), by: Type.String(), at: Type.Integer() }, closed), Type.Null()]),
    /** The number of times in a row that the model has asked for exactly the same calls. The agent ends a run that loops. */
    repeats: Type.Object({ key: Type.String(), count: Type.Integer() }, closed),
    /** The number of consecutive rounds in which no call succeeded. */
    fruitless: Type.Integer(),
    usage: Usage,
    /** The untrusted content that the run has read. This field is absent until the first such result has been joined. */
    taint: Type.Optional(Taint),
    /** The changes that the run made. This field is absent until the first write has ended. */
    writes: Type.Optional(RunWrites),
    createdAt: Type.Integer(),
    startedAt: Type.Union([Type.Integer(), Type.Null()]),
    endedAt: Type.Union([Type.Integer(), Type.Null()]),
    ending: Type.Union([RunEnding, Type.Null()]),
    report: Type.Union([Report, Type.Null()]),
  },
  closed,
);
export type Run = Static<typeof Run>;

/** The text that the model reads instead of a result that is too long for it. */
export const ShownResult = Type.Object(
  {
    /** An index of the result, or its beginning with a notice. With `contentRef`, this field contains only the beginning of that text. */
    content: Type.String(),
    contentRef: Type.Optional(ContentRef),
    /** The blob that says where the chunks of the result begin. It is absent if the result was truncated. */
    index: Type.Optional(Type.String()),
  },
  closed,
);
export type ShownResult = Static<typeof ShownResult>;

export const CALL_STATES = ["queued", "requested", "held", "granted", "dispatched", "asked", "resolved"] as const;
export type CallState = (typeof CALL_STATES)[number];

/**
 * The state of a sent write when the agent last read the ledger. It is absent if no attempt had begun, or if the agent has not read the ledger yet.
 */
export const LedgerNote = Type.Object(
  {
    state: Type.Enum(["begun", "sending", "done"]),
    /** The number of the latest attempt. */
    attempt: Type.Integer(),
    /** The time when the write entered this state. */
    since: Type.Integer(),
    /** The time when the lease of the attempt ends. It is absent if no attempt has a lease. */
    leaseUntil: Type.Optional(Type.Integer()),
  },
  closed,
);
export type LedgerNote = Readonly<Static<typeof LedgerNote>>;

/** The outcome that the ledger later reported for a write that was joined as `outcome_unknown`. The result that the model read does not change. */
export const SettledWrite = Type.Object(
  {
    status: Type.Enum([...RESULT_STATUSES]),
    code: Type.Optional(Type.String()),
    at: Type.Integer(),
  },
  closed,
);
export type SettledWrite = Readonly<Static<typeof SettledWrite>>;

/** The longest unusable arguments that a call keeps, in characters. */
export const MAX_WRITTEN_CHARS = 4096;

/** One tool call of a run. The agent writes it to the family `call`. */
export const Call = Type.Object(
  {
    callId: Type.String(),
    runId: Type.String(),
    conversationId: Type.String(),
    round: Type.Integer(),
    index: Type.Integer(),
    /** The id that pairs call and result in the transcript. It is the provider's own id, or begins with `seed_<tool>`. */
    transcriptId: Type.String(),
    toolName: Type.String(),
    toolVersion: Type.String(),
    toolHash: Type.String(),
    toolset: Type.String(),
    /** The tool whose call named this tool in its arguments. It is absent if the model called this tool itself. */
    via: Type.Optional(Type.String()),
    /** The MCP server of the tool. It is absent if the tool belongs to no MCP server. */
    mcpServer: Type.Optional(Type.String()),
    /** The scopes that the tool's definition requires of the requester. The field is absent if it requires none. */
    scopes: Type.Optional(Type.Array(Type.String())),
    kind: Type.Enum(["read", "compute", "write"]),
    /** True if the result of the call is untrusted content. */
    untrusted: Type.Optional(Type.Boolean()),
    /** True if the run had read untrusted content when the model asked for the call. */
    afterUntrusted: Type.Optional(Type.Boolean()),
    idempotency: Type.Enum(["key", "reconcile", "none"]),
    keepsForMs: Type.Integer(),
    timeoutMs: Type.Integer(),
    /** The arguments as canonical JSON text. If an approver changed them, these are the changed ones, which are executed. */
    arguments: Type.String(),
    argsHash: Type.String(),
    /** The arguments as the model wrote them, if they could not be used. `arguments` is then `{}`. Absent if they were too long to keep. */
    written: Type.Optional(Type.String({ maxLength: MAX_WRITTEN_CHARS })),
    /** The arguments that the model asked for, if an approver changed them. Every repeat of the request for a grant contains them. */
    asked: Type.Optional(Type.Object({ arguments: Type.String(), changes: Type.Array(ArgumentChange) }, closed)),
    /** The effect of the write with these arguments, from the `effect` text of its tool. It is absent if the tool has no such text. */
    effect: Type.Optional(Type.String()),
    /** The call secret, which is the same in every dispatch. An answer must contain its hash. */
    secret: Type.String(),
    state: Type.Enum([...CALL_STATES]),
    dispatch: Type.Integer(),
    requests: Type.Integer(),
    createdAt: Type.Integer(),
    sentAt: Type.Integer(),
    /** The latest time at which a worker may begin the call or send its write for the first time. The first invoke sets this time. */
    notAfter: Type.Union([Type.Integer(), Type.Null()]),
    approvalId: Type.Optional(Type.String()),
    /** The time when the call began to wait for people, who must decide an approval or answer a question. */
    heldSince: Type.Optional(Type.Integer()),
    /** The time for which the call has waited for people and for a living worker, in milliseconds. */
    heldMs: Type.Integer(),
    /** The time since which no worker that could answer the call has been alive. */
    unservedSince: Type.Optional(Type.Integer()),
    approvalExpiresAt: Type.Optional(Type.Integer()),
    /** The tier of the write that people must decide. It determines who may approve the write, and how many approvers are needed. */
    approvalTier: Type.Optional(Type.Enum([...TIERS])),
    /** The number of people who must approve the write, if the policy demands more than the tier does. */
    approversNeeded: Type.Optional(Type.Integer()),
    /** The people who have approved the write while more approvals are needed. */
    approvedSoFar: Type.Optional(Type.Array(Type.String())),
    /** The time until which the person may answer a call in the state `asked`. */
    askExpiresAt: Type.Optional(Type.Integer()),
    grant: Type.Optional(Type.String()),
    grantExpiresAt: Type.Optional(Type.Integer()),
    executeBy: Type.Optional(Type.Integer()),
    /** The people who approved the write, or `policy`. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    result: Type.Optional(ToolResult),
    /** The entry of the transcript that has the content of `result`. If it is present, the content here is empty. */
    entry: Type.Optional(Type.Object({ sequence: Type.Integer({ minimum: 1 }), contentHash: Type.String({ maxLength: 64 }) }, closed)),
    /** The worker's receipt for the result of a write. It is absent if no worker signed the result. */
    receipt: Type.Optional(Type.String({ maxLength: 8192 })),
    /** The text that the model reads instead of the result. It is absent if the model reads the result itself. */
    shown: Type.Optional(ShownResult),
    resolvedAt: Type.Optional(Type.Integer()),
    ledger: Type.Optional(LedgerNote),
    /** The questions of the tool that are in the run's events, and whether their ends are there too. */
    questions: Type.Optional(Type.Array(Type.Object({ id: QuestionId, ended: Type.Boolean() }, closed), { maxItems: MAX_QUESTIONS })),
    /** The time until which the agent looks for the unknown outcome of this write in the ledger. */
    followUntil: Type.Optional(Type.Integer()),
    settled: Type.Optional(SettledWrite),
  },
  closed,
);
export type Call = Static<typeof Call>;

/**
 * A long result in working memory, under the key of its index. The agent writes it to the family `working` and keeps it for minutes. The chunks are
 * ranges of one text and are not stored separately.
 */
export const WorkingResult = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    content: ContentRef,
    /** The blob that contains a `ResultIndex`. */
    index: Type.String(),
    at: Type.Integer(),
  },
  closed,
);
export type WorkingResult = Static<typeof WorkingResult>;

/** The start and the end of each chunk of a text, in UTF-16 code units, and the sections that begin in each chunk. */
export const ResultIndex = Type.Object(
  {
    chunks: Type.Array(Type.Object({ start: Type.Integer(), end: Type.Integer(), heading: Type.String() }, closed)),
    sections: Type.Array(Type.Object({ level: Type.Integer(), title: Type.String(), chunk: Type.Integer() }, closed)),
  },
  closed,
);
export type ResultIndex = Static<typeof ResultIndex>;

/** Forbids a call to begin or to send its write. The agent writes it to the family `stop`, and workers read it. */
export const Stop = Type.Object({ callId: Type.String(), at: Type.Integer(), reason: Type.String() }, closed);
export type Stop = Static<typeof Stop>;

export const parseStop = parser(Stop);

/**
 * The profiles that an agent offers, as it reports them when it starts. The agent writes them to the family `profile`, and the gateway reads them.
 */
export const ProfileList = Type.Object(
  {
    agent: Type.String(),
    profiles: Type.Array(Type.Object({ name: Type.String(), description: Type.String() }, closed), { maxItems: 64 }),
    at: Type.Integer(),
    /** The time of the last heartbeat of an agent with this name. */
    seenAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type ProfileList = Static<typeof ProfileList>;

export const parseProfileList = parser(ProfileList);
export const parseRun = parser(Run);
export const parseCall = parser(Call);
export const parseWorkingResult = parser(WorkingResult);
export const parseResultIndex = parser(ResultIndex);
export const parseConversationState = parser(ConversationState);
