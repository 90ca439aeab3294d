import { Call, ResultIndex, Run } from "./documents/agent.ts";
import { ProfileText } from "./documents/profile-text.ts";
import { CallQuestions } from "./documents/question.ts";
import { NumberedRunEvent } from "./events.ts";
import { isConversationId, isRunId } from "./ids.ts";
import { type Parsed, parser, type Problem } from "./parse.ts";
import { ToolResult } from "./result.ts";
import { type Static, Type } from "./schema.ts";
import { ToolDefinition } from "./tool-definition.ts";
import type { TranscriptEntry } from "./transcript.ts";

const closed = { additionalProperties: false } as const;

export const RUN_RECORD_FORMAT = "toolbus-run-record/1";

const run = Run.properties;
const call = Call.properties;

/** The facts of a run that its replay begins with, and those that no event has. */
export const RecordedRun = Type.Object(
  {
    runId: run.runId,
    conversationId: run.conversationId,
    agent: run.agent,
    profile: run.profile,
    profileHash: run.profileHash,
    input: run.input,
    message: run.message,
    choice: run.choice,
    ordinal: run.ordinal,
    accepted: run.accepted,
    status: run.status,
    tools: run.tools,
    rights: run.rights,
    registryVersion: run.registryVersion,
    activeMs: run.activeMs,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
  },
  closed,
);
export type RecordedRun = Static<typeof RecordedRun>;

/** One call of a run, without its secret, its grant and its receipt. */
export const RecordedCall = Type.Object(
  {
    callId: call.callId,
    round: call.round,
    index: call.index,
    transcriptId: call.transcriptId,
    toolName: call.toolName,
    toolVersion: call.toolVersion,
    toolHash: call.toolHash,
    toolset: call.toolset,
    via: call.via,
    kind: call.kind,
    arguments: call.arguments,
    written: call.written,
    asked: call.asked,
    state: call.state,
    dispatch: call.dispatch,
    createdAt: call.createdAt,
    sentAt: call.sentAt,
    notAfter: call.notAfter,
    approvalId: call.approvalId,
    approvedBy: call.approvedBy,
    grantExpiresAt: call.grantExpiresAt,
    executeBy: call.executeBy,
    resolvedAt: call.resolvedAt,
    settled: call.settled,
    /** The result with all of its content. Null if the call has none, or if its content is no longer kept. */
    result: Type.Union([ToolResult, Type.Null()]),
    /** True if the store has the content of the result as a blob of its own. */
    long: Type.Boolean(),
    /** True if a worker signed a receipt for the result, so the result is not the agent's own. */
    receipt: Type.Boolean(),
    /** The text that the model read instead of the result, and the index of the result if it is in working memory. */
    shown: Type.Optional(Type.Object({ content: Type.String(), index: Type.Union([ResultIndex, Type.Null()]) }, closed)),
    /** The questions of the tool to the requester. The answers are not part of the record. */
    questions: Type.Optional(CallQuestions),
  },
  closed,
);
export type RecordedCall = Static<typeof RecordedCall>;

/** A tool definition as the run had it. */
export const RecordedTool = Type.Object({ toolset: Type.String(), hash: Type.String(), definition: ToolDefinition }, closed);
export type RecordedTool = Static<typeof RecordedTool>;

/** An entry of the transcript as its log has it, but whole: with the vendor's payload and with all of the text of a result. */
export const RecordedEntry = Type.Object(
  { sequence: Type.Integer({ minimum: 1 }), entry: Type.Unsafe<TranscriptEntry>({ type: "object" }) },
  closed,
);
export type RecordedEntry = Static<typeof RecordedEntry>;

/**
 * Everything that is needed to play a run again without a network. It has no secret of a call, no grant, no receipt and no key. It has the words of
 * people, of the model and of tools, so it is as confidential as the conversation.
 */
export const RunRecord = Type.Object(
  {
    format: Type.Literal(RUN_RECORD_FORMAT),
    /** The store's time when this was read. */
    at: Type.Integer({ minimum: 0 }),
    /** Who asked for the run, from the gateway's own document. */
    origin: Type.Object(
      {
        tenant: Type.String(),
        principal: Type.String(),
        via: Type.Enum(["http", "trigger", "schedule"]),
        createdAt: Type.Integer(),
      },
      closed,
    ),
    run: RecordedRun,
    calls: Type.Array(RecordedCall),
    /** The calls of earlier runs whose long results were in the conversation's working memory. */
    remembered: Type.Array(RecordedCall),
    /** The run's durable events, in their order. */
    events: Type.Array(NumberedRunEvent),
    /** The conversation's transcript up to the last entry of the run. */
    transcript: Type.Array(RecordedEntry),
    tools: Type.Array(RecordedTool),
    /** The profile with which the run began. Null if it is not known, or if the caller may not read it. */
    profile: Type.Union([ProfileText, Type.Null()]),
    /** What the record does not have, in sentences. */
    leftOut: Type.Array(Type.String()),
  },
  closed,
);
export type RunRecord = Static<typeof RunRecord>;

const parseShape = parser(RunRecord);

/** Parses a record that may come from anybody. A record whose ids, times, order or entries no Toolbus writes is refused with the first such place. */
export function parseRunRecord(value: unknown): Parsed<RunRecord> {
  const parsed = parseShape(value);
  const fault = parsed.ok ? faultOf(parsed.value) : null;
  return fault === null ? parsed : { ok: false, problems: [fault] };
}

/** Returns the first fault that the schema does not express, because the schema is also the description of the answer. */
function faultOf({ run: { runId, conversationId, createdAt }, events, transcript }: RunRecord): Problem | null {
  if (!isRunId(runId)) return { path: "/run/runId", message: "must be the id of a run" };
  if (!isConversationId(conversationId)) return { path: "/run/conversationId", message: "must be the id of a conversation" };
  if (createdAt < 0 || createdAt > LAST_TIME) return { path: "/run/createdAt", message: "must be a time" };
  const late = events.findIndex(({ sequence }, n) => sequence <= (events[n - 1]?.sequence ?? 0));
  if (late >= 0) return { path: `/events/${late}/sequence`, message: "must be later than the event before it" };
  for (const [n, { entry }] of transcript.entries()) {
    const read = parseEntry(entry);
    if (!read.ok) return { path: `/transcript/${n}/entry`, message: "must be an entry of a transcript" };
  }
  return null;
}

/** The latest time that a date can have, in milliseconds. */
const LAST_TIME = 8.64e15;

const text = Type.String();
const ofRun = { runId: text, at: Type.Integer() };
const entryCall = Type.Object({ id: text, callId: text, name: text, arguments: text });
/** The fields that the agent relies on. An entry may have more. */
const parseEntry = parser(
  Type.Union([
    Type.Object({ type: Type.Literal("user"), ...ofRun, text }),
    Type.Object({
      type: Type.Literal("assistant"),
      ...ofRun,
      round: Type.Integer(),
      text,
      calls: Type.Array(entryCall),
      provider: text,
      model: text,
    }),
    Type.Object({
      type: Type.Literal("result"),
      ...ofRun,
      id: text,
      callId: text,
      name: text,
      status: text,
      content: text,
      isError: Type.Boolean(),
    }),
  ]),
);
