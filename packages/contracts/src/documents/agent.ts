import { type Static, Type } from "../schema.ts";
import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";
import { ContentRef, ToolResult } from "../result.ts";
import { Report } from "../report.ts";
import { RESULT_STATUSES } from "../error-codes.ts";
import { TIERS } from "../tool-definition.ts";
import { Scopes, ToolEntries } from "../tool-rights.ts";
import { Lease } from "./ledger.ts";

const closed = { additionalProperties: false } as const;

/**
 * Usage so far. Input tokens include those read from and written to a vendor's cache; output tokens include those of reasoning. A figure that nobody
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
    /** Millionths of a US dollar, for the calls whose price is known. */
    costMicroUsd: Type.Optional(Type.Integer()),
    /** Model calls of unknown price: the real cost is at least the stated one. */
    unpricedCalls: Type.Optional(Type.Integer()),
  },
  closed,
);
export type Usage = Static<typeof Usage>;

/** How many runs may wait in one conversation. */
export const MAX_QUEUED_RUNS = 64;

/** A run that waits for its turn. */
export const QueuedRun = Type.Object(
  {
    runId: Type.String(),
    /**
     * The number of the commit that accepted its message. The message that was accepted first runs first, whatever the order in which the agent learns of
     * them.
     */
    accepted: Type.Integer(),
    /** It interrupted the run before it, and goes before all runs that only wait. */
    interrupts: Type.Boolean(),
  },
  closed,
);
export type QueuedRun = Static<typeof QueuedRun>;

/** One conversation: which run is active, which runs wait, and what it has used. Family `conversation`, written by the agent. */
export const ConversationState = Type.Object(
  {
    conversationId: Type.String(),
    activeRun: Type.Union([Type.String(), Type.Null()]),
    /** The next run to start comes first. */
    queue: Type.Array(QueuedRun, { maxItems: MAX_QUEUED_RUNS }),
    /** Number of runs so far; the ordinal keeps seed ids distinct. */
    runs: Type.Integer(),
    /** Of all ended runs. */
    usage: Usage,
    /** The model of the last turn; null before the first. */
    model: Type.Union([Type.Object({ provider: Type.String(), model: Type.String() }, closed), Type.Null()]),
    /** True if its transcript holds an index of a result in working memory. */
    workingMemory: Type.Optional(Type.Boolean()),
    /** Its owner deleted it: its content is gone, and no run begins in it any more. */
    deletedAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type ConversationState = Static<typeof ConversationState>;

export const RUN_STATUSES = ["queued", "ready", "waiting", "done", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A tool as the run sees it: fixed when the run began. */
export const RunTool = Type.Object({ name: Type.String(), version: Type.String(), hash: Type.String(), toolset: Type.String() }, closed);
export type RunTool = Static<typeof RunTool>;

/** A call of the current round, with what the run's own row needs for the join. */
export const OpenCall = Type.Object({ callId: Type.String(), write: Type.Boolean(), resolved: Type.Boolean() }, closed);
export type OpenCall = Static<typeof OpenCall>;

/** How many writes a run's document and its view list; the counts continue. */
export const MAX_LISTED_WRITES = 20;

/** One write of a run and what became of it, as it was joined. */
export const RunWrite = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    /** The status of its result: `ok` means it happened, `outcome_unknown` means it may have happened; all others mean it did not. */
    status: Type.String(),
    /** The code of the reason why it did not happen. */
    code: Type.Optional(Type.String()),
    approvalId: Type.Optional(Type.String()),
    /** Who allowed it, as the approval names them: people, or `policy`. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    /** What it does, in the words of its tool; absent where the tool has none. */
    effect: Type.Optional(Type.String()),
    /** When its outcome became known, if it was joined as `outcome_unknown`; `status` is the outcome that is known now. */
    settledAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type RunWrite = Static<typeof RunWrite>;

/** What a run changed so far: counts of all its writes, and the latest of them, in the order in which they ended. */
export const RunWrites = Type.Object(
  {
    happened: Type.Integer(),
    /** Writes of unknown outcome: they may or may not have happened. */
    unknown: Type.Integer(),
    latest: Type.Array(RunWrite, { maxItems: MAX_LISTED_WRITES }),
  },
  closed,
);
export type RunWrites = Static<typeof RunWrites>;

/** How a run ended. */
export const RunEnding = Type.Object(
  { text: Type.String(), code: Type.Optional(Type.String()), truncated: Type.Optional(Type.Boolean()) },
  closed,
);
export type RunEnding = Static<typeof RunEnding>;

/** A run: the work on one message of a person, until it ends. Family `run`, written by the agent. */
export const Run = Type.Object(
  {
    runId: Type.String(),
    conversationId: Type.String(),
    agent: Type.String(),
    profile: Type.String(),
    input: Type.Unsafe<JsonObject>({ type: "object" }),
    /** The person's message, while the run waits for its turn; later it stands in the transcript. */
    message: Type.Union([Type.Object({ text: Type.String(), at: Type.Integer() }, closed), Type.Null()]),
    /** The run's number in its conversation, from 1. */
    ordinal: Type.Integer(),
    /** The number of the commit that accepted its message. */
    accepted: Type.Integer(),
    /** W3C trace context that its steps continue. */
    traceparent: Type.Optional(Type.String()),
    status: Type.Enum([...RUN_STATUSES]),
    tools: Type.Array(RunTool),
    /** What its requester may use, from its origin; absent in runs from before this field existed. */
    rights: Type.Optional(Type.Object({ scopes: Scopes, tools: Type.Optional(ToolEntries) }, closed)),
    registryVersion: Type.String(),
    /** The next round; 0 is the seed round. */
    round: Type.Integer(),
    epoch: Type.Integer(),
    lease: Type.Union([Lease, Type.Null()]),
    /** Acquires since the last commit of a turn; a run that cannot commit must not spin. */
    attempts: Type.Integer(),
    /** Failed model calls of this round, and how long the next one was delayed; absent if there are none. */
    modelFailures: Type.Optional(Type.Object({ count: Type.Integer(), waitMs: Type.Integer() }, closed)),
    /** The step must not begin before this, by the store's clock: the provider asked for a pause. */
    notBefore: Type.Optional(Type.Integer()),
    /** Time spent in model and tools; the clock stops while people decide. */
    activeMs: Type.Integer(),
    /** When the current step began, for `activeMs`. */
    stepStartedAt: Type.Integer(),
    pending: Type.Integer(),
    /** How many events its log holds: the sequence of the last one. */
    events: Type.Integer(),
    calls: Type.Array(OpenCall, { maxItems: 32 }),
    cancel: Type.Union([Type.Object({ entryId: Type.String(), by: Type.String(), at: Type.Integer() }, closed), Type.Null()]),
    /** Consecutive repeats of the same failing call, to stop loops that waste rounds. */
    repeats: Type.Object({ key: Type.String(), count: Type.Integer() }, closed),
    /** Consecutive rounds in which no call succeeded. */
    fruitless: Type.Integer(),
    usage: Usage,
    /** Absent until the first write has ended. */
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

/** What the model reads instead of a result that is too long for it. */
export const ShownResult = Type.Object(
  {
    /** An index of the result, or its beginning with a notice; with `contentRef` only the beginning of this text. */
    content: Type.String(),
    contentRef: Type.Optional(ContentRef),
    /** The blob that says where its chunks begin; absent if the result was truncated. */
    index: Type.Optional(Type.String()),
  },
  closed,
);
export type ShownResult = Static<typeof ShownResult>;

export const CALL_STATES = ["queued", "requested", "held", "granted", "dispatched", "asked", "resolved"] as const;
export type CallState = (typeof CALL_STATES)[number];

/** What the worker's ledger said about a sent write when the agent last looked. Absent: no attempt had begun, or nobody has looked. */
export const LedgerNote = Type.Object(
  {
    state: Type.Enum(["begun", "sending", "done"]),
    /** The number of the attempt that holds it, or held it last. */
    attempt: Type.Integer(),
    /** When it came into this state. */
    since: Type.Integer(),
    /** Until when the attempt holds its lease; absent if nobody holds one. */
    leaseUntil: Type.Optional(Type.Integer()),
  },
  closed,
);
export type LedgerNote = Readonly<Static<typeof LedgerNote>>;

/** The outcome of a write that was joined as `outcome_unknown`, as its ledger said later. The result that the model read stays as it was. */
export const SettledWrite = Type.Object(
  {
    status: Type.Enum([...RESULT_STATUSES]),
    code: Type.Optional(Type.String()),
    at: Type.Integer(),
  },
  closed,
);
export type SettledWrite = Readonly<Static<typeof SettledWrite>>;

/** One tool call of a run. Family `call`, written by the agent. */
export const Call = Type.Object(
  {
    callId: Type.String(),
    runId: Type.String(),
    conversationId: Type.String(),
    round: Type.Integer(),
    index: Type.Integer(),
    /** The id that pairs call and result in the transcript: the provider's own, or `seed_<tool>`. */
    transcriptId: Type.String(),
    toolName: Type.String(),
    toolVersion: Type.String(),
    toolHash: Type.String(),
    toolset: Type.String(),
    /** What its definition demands of the requester; absent if it demands nothing. */
    scopes: Type.Optional(Type.Array(Type.String())),
    kind: Type.Enum(["read", "compute", "write"]),
    idempotency: Type.Enum(["key", "reconcile", "none"]),
    keepsForMs: Type.Integer(),
    timeoutMs: Type.Integer(),
    /** Canonical JSON text. */
    arguments: Type.String(),
    argsHash: Type.String(),
    /** What a write does, in the words of its tool and with these arguments; absent where the tool has no such words. */
    effect: Type.Optional(Type.String()),
    /** Equal in every dispatch; an answer must echo its hash. */
    secret: Type.String(),
    state: Type.Enum([...CALL_STATES]),
    dispatch: Type.Integer(),
    requests: Type.Integer(),
    createdAt: Type.Integer(),
    sentAt: Type.Integer(),
    /** The latest time to begin or send for the first time; fixed at the first invoke. */
    notAfter: Type.Union([Type.Integer(), Type.Null()]),
    approvalId: Type.Optional(Type.String()),
    /** Since when it has waited for people: for an approval, or for the answer to a question. */
    heldSince: Type.Optional(Type.Integer()),
    /** How long people took, plus how long no worker that could have answered was alive. */
    heldMs: Type.Integer(),
    /** Since when no worker that could answer it has been alive. */
    unservedSince: Type.Optional(Type.Integer()),
    approvalExpiresAt: Type.Optional(Type.Integer()),
    /** Of the write that people are asked about: it says who may decide, and how many have to. */
    approvalTier: Type.Optional(Type.Enum([...TIERS])),
    /** Those who have approved it, while it takes more of them. */
    approvedSoFar: Type.Optional(Type.Array(Type.String())),
    /** Until when the person may answer a call that is `asked`. */
    askExpiresAt: Type.Optional(Type.Integer()),
    grant: Type.Optional(Type.String()),
    grantExpiresAt: Type.Optional(Type.Integer()),
    executeBy: Type.Optional(Type.Integer()),
    /** Who allowed it: people, or `policy`. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    result: Type.Optional(ToolResult),
    /** Absent if the model reads the result itself. */
    shown: Type.Optional(ShownResult),
    resolvedAt: Type.Optional(Type.Integer()),
    ledger: Type.Optional(LedgerNote),
    /** Its outcome is unknown, and its ledger may still say it: until then the agent looks there. */
    followUntil: Type.Optional(Type.Integer()),
    settled: Type.Optional(SettledWrite),
  },
  closed,
);
export type Call = Static<typeof Call>;

/**
 * A long result in working memory, under the key of its index. Family `working`, written by the agent, kept for minutes. The chunks are ranges of one text
 * and are not stored separately.
 */
export const WorkingResult = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    content: ContentRef,
    /** The blob with a `ResultIndex`. */
    index: Type.String(),
    at: Type.Integer(),
  },
  closed,
);
export type WorkingResult = Static<typeof WorkingResult>;

/** Where the chunks of a text begin and end, in UTF-16 code units, and which sections begin in each. */
export const ResultIndex = Type.Object(
  {
    chunks: Type.Array(Type.Object({ start: Type.Integer(), end: Type.Integer(), heading: Type.String() }, closed)),
    sections: Type.Array(Type.Object({ level: Type.Integer(), title: Type.String(), chunk: Type.Integer() }, closed)),
  },
  closed,
);
export type ResultIndex = Static<typeof ResultIndex>;

/** Marks a call that must not begin or send any more. Family `stop`, written by the agent, read by workers. */
export const Stop = Type.Object({ callId: Type.String(), at: Type.Integer(), reason: Type.String() }, closed);
export type Stop = Static<typeof Stop>;

/** What callers can ask an agent for, as the agent reports it when it starts. Family `profile`, written by the agent, read by the gateway. */
export const ProfileList = Type.Object(
  {
    agent: Type.String(),
    profiles: Type.Array(Type.Object({ name: Type.String(), description: Type.String() }, closed), { maxItems: 64 }),
    at: Type.Integer(),
    /** When an agent of this name last sent a heartbeat. */
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
