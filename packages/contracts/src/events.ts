import { ArgumentChange } from "./argument-changes.ts";
import { RunWrites, Usage } from "./documents/agent.ts";
import { QUESTION_OUTCOMES } from "./documents/question.ts";
import { RESULT_STATUSES } from "./error-codes.ts";
import { durableEventSchema, type EventOf, numbered, oneEventOf } from "./event-schema.ts";
import type { JsonObject } from "./json.ts";
import { APPROVAL_OUTCOMES } from "./messages.ts";
import { OfferedChoice } from "./offered-choice.ts";
import { Report } from "./report.ts";
import { MAX_MEDIA, MediaRef } from "./result.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** One tool call as a viewer sees it. */
export const EventCall = Type.Object(
  {
    callId: Type.String(),
    transcriptId: Type.String(),
    tool: Type.String(),
    kind: Type.Enum(["read", "compute", "write", "unknown"]),
    arguments: Type.String({
      description: "As JSON text. If they could not be used, as the model wrote them, or `{}` if that is no JSON object or too long.",
    }),
    via: Type.Optional(
      Type.String({ description: "The tool that the model called, if its arguments name `tool`. `arguments` are those of `tool`." }),
    ),
  },
  closed,
);
export type EventCall = Readonly<Static<typeof EventCall>>;

/** How the agent shortened a conversation to fit the model's window. */
export const PrunedContext = Type.Object(
  {
    strategy: Type.String(),
    entries: Type.Integer({ description: "Entries of the transcript that were left out." }),
    tokens: Type.Integer({ description: "About how many tokens they would have taken." }),
    summary: Type.Optional(Type.Boolean({ description: "True if a summary replaces them." })),
  },
  closed,
);
export type PrunedContext = Readonly<Static<typeof PrunedContext>>;

/** The fields that every end reports. `writes` contains the run's changes and is absent if none of its writes has ended. */
const END = { report: Type.Union([Report, Type.Null()]), usage: Usage, writes: Type.Optional(RunWrites) } as const;

/** The events that end a stream. Every stream ends with exactly one of them. */
const END_SCHEMAS = {
  "run.completed": durableEventSchema("run.completed", "The end: the answer, and the report of an investigation.", {
    text: Type.String(),
    truncated: Type.Boolean({
      description:
        "Whether the model's last reply reached its longest length. `text` then lacks its end, and the calls of that reply were not made.",
    }),
    ...END,
  }),
  "run.failed": durableEventSchema("run.failed", "The end: why it failed. `message` begins with what the run had written by then.", {
    code: Type.String(),
    message: Type.String(),
    ...END,
  }),
  "run.cancelled": durableEventSchema(
    "run.cancelled",
    "The end: it was cancelled. `message` begins with what the run had written by then.",
    {
      by: Type.String(),
      message: Type.Optional(Type.String()),
      ...END,
    },
  ),
} as const;

/** The schema of each durable event by its type, as the log contains it. */
export const RUN_EVENT_SCHEMAS = {
  "run.queued": durableEventSchema("run.queued", "Another run of the conversation is active, and this one waits.", {
    behind: Type.String({ description: "The run that is active." }),
    position: Type.Optional(Type.Integer({ description: "Its place among those that wait, from 1 for the next." })),
  }),
  "run.started": durableEventSchema("run.started", "The agent works on it, with these tools.", {
    profile: Type.String(),
    input: Type.Unsafe<object>({ type: "object" }),
    tools: Type.Array(Type.String()),
    registryVersion: Type.String({ description: "The version of the registry that the run found, as in `GET /v1/tools`." }),
    /** The field is absent if the run is offered every tool that it may use. */
    choice: Type.Optional(OfferedChoice),
  }),
  turn: durableEventSchema("turn", "The model's complete output of a round, and the tools that it calls. `usage` is the run's so far.", {
    round: Type.Integer(),
    seed: Type.Boolean(),
    provider: Type.String(),
    model: Type.String(),
    text: Type.String(),
    calls: Type.Array(EventCall),
    /** The part of the conversation that the model did not see. The field is absent if the model saw all of it. */
    pruned: Type.Optional(PrunedContext),
    usage: Usage,
  }),
  "model.retry": durableEventSchema(
    "model.retry",
    "A model call failed and is retried after `waitMs`. Text and arguments shown for this round are void.",
    {
      round: Type.Integer(),
      attempt: Type.Integer({ description: "The attempt that failed, from 1." }),
      code: Type.String(),
      message: Type.String(),
      waitMs: Type.Integer({ description: "How long until the next one." }),
    },
  ),
  "call.held": durableEventSchema("call.held", "A write waits for people to decide.", {
    callId: Type.String(),
    tool: Type.String(),
    approvalId: Type.String(),
    tier: Type.String(),
    effect: Type.String(),
    expiresAt: Type.Integer(),
    approversNeeded: Type.Optional(Type.Integer({ description: "How many people have to approve it; one denial ends it." })),
    scopes: Type.Optional(Type.Array(Type.String(), { description: "Either of them, with the role approver, lets a person decide it." })),
  }),
  "call.decided": durableEventSchema("call.decided", "People, or the policy, have decided.", {
    callId: Type.String(),
    tool: Type.String(),
    outcome: Type.Enum([...APPROVAL_OUTCOMES]),
    decidedBy: Type.Array(Type.String()),
    effect: Type.Optional(Type.String({ description: "The effect with the changed arguments, if an approver changed them." })),
    changes: Type.Optional(Type.Array(ArgumentChange, { description: "The arguments that an approver changed, as JSON texts." })),
  }),
  "call.unserved": durableEventSchema(
    "call.unserved",
    "A call that was sent waits for a worker, because no worker that serves its tool is alive. The run's clock is stopped from `since` on.",
    { callId: Type.String(), tool: Type.String(), toolset: Type.String(), since: Type.Integer() },
  ),
  "call.resolved": durableEventSchema(
    "call.resolved",
    "A call has its one result, here truncated to 4 KiB. `media` lists the pictures, sounds and files of the result. `usage` is the run's so far, including this call.",
    {
      callId: Type.String(),
      tool: Type.String(),
      status: Type.Enum([...RESULT_STATUSES]),
      latencyMs: Type.Number(),
      content: Type.String(),
      media: Type.Optional(Type.Array(MediaRef, { maxItems: MAX_MEDIA })),
      usage: Usage,
    },
  ),
  "call.settled": durableEventSchema(
    "call.settled",
    "The outcome of a write that had ended as `outcome_unknown` is known now, from the ledger of its worker. If the run has ended by then, only the run's record says so.",
    {
      callId: Type.String(),
      tool: Type.String(),
      status: Type.Enum([...RESULT_STATUSES]),
      content: Type.String(),
    },
  ),
  "call.asked": durableEventSchema("call.asked", "The model asks the person; `POST /v1/runs/{id}/answers` answers.", {
    callId: Type.String(),
    question: Type.String(),
    options: Type.Array(Type.String()),
    expiresAt: Type.Integer(),
  }),
  "question.asked": durableEventSchema(
    "question.asked",
    "A tool asks the requester of the run; `POST /v1/runs/{id}/question-answers` answers. `message` and `form` are the tool's own words.",
    {
      callId: Type.String(),
      tool: Type.String(),
      questionId: Type.String(),
      from: Type.String({ description: "The source of the tool, such as `mcp:<server>`." }),
      untrusted: Type.Boolean({ description: "True if strangers may have written the question." }),
      message: Type.String(),
      form: Type.Optional(
        Type.Unsafe<JsonObject>({ type: "object", description: "The schema of the answer. Absent if the question has ended by now." }),
      ),
      expiresAt: Type.Integer(),
    },
  ),
  "question.ended": durableEventSchema(
    "question.ended",
    "A question of a tool has ended. What the person answered is not in the event, because others may see it.",
    {
      callId: Type.String(),
      tool: Type.String(),
      questionId: Type.String(),
      outcome: Type.Enum([...QUESTION_OUTCOMES]),
      reason: Type.Optional(Type.String({ description: "Why Toolbus did not ask, if the outcome is `refused`." })),
    },
  ),
  "run.cancelling": durableEventSchema("run.cancelling", "It was cancelled; the run waits for calls that were already sent.", {
    by: Type.String(),
  }),
  ...END_SCHEMAS,
} as const;

type Every<S extends Readonly<Record<string, Parameters<typeof Type.Array>[0]>>> = { [T in keyof S]: EventOf<S[T]> }[keyof S];

/**
 * A durable event of a run. Its sequence in the log is part of the SSE id (`<runId>:<sequence>`), so a client that resumes receives each event
 * exactly once. `at` is the store's time in milliseconds.
 */
export type RunEvent = Every<typeof RUN_EVENT_SCHEMAS>;
export type RunEnd = Every<typeof END_SCHEMAS>;

/**
 * An event as the log contains it. The content of a result that the transcript has is not stored a second time. The event then names the entry of the
 * transcript, and the gateway fills the content in.
 */
export type StoredRunEvent = RunEvent & { readonly entry?: number };

/** A durable event as it is sent over the wire. */
export type NumberedRunEvent = RunEvent & { readonly sequence: number };

/** The schema of each durable event as it is sent over the wire, by its type. */
export const NUMBERED_RUN_EVENTS = numbered(RUN_EVENT_SCHEMAS);

/** The schema of any durable event as it is sent over the wire. */
export const NumberedRunEvent = oneEventOf<NumberedRunEvent>(NUMBERED_RUN_EVENTS, "A durable event of a run, distinguished by `type`.");

export const RUN_ENDS = ["run.completed", "run.failed", "run.cancelled"] as const;

export function isRunEnd(event: { readonly type: string }): event is RunEnd {
  return (RUN_ENDS as readonly string[]).includes(event.type);
}

/** The number of characters of a result that a viewer sees. */
export const EVENT_CONTENT_CHARS = 4096;
