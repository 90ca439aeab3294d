import {
  AnyLiveEvent,
  type Declared,
  type EventSchemas,
  eventSchemaName,
  type Json,
  type JsonObject,
  LIVE_EVENT_SCHEMAS,
  NUMBERED_RUN_EVENTS,
  NumberedRunEvent,
  type LiveEvent,
  type RunAccepted,
  type RunEvent,
  type StreamBye,
  type TextReset,
} from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";
import { examples } from "./documented.ts";

type Streamed = RunEvent | RunAccepted | LiveEvent | TextReset | StreamBye;
type Examples = { readonly [T in Streamed["type"]]: Extract<Streamed, { readonly type: T }> };

const { callId, runId, conversationId } = examples;
const at = 1_763_718_400_000;
const usage = { inputTokens: 812, outputTokens: 64, modelCalls: 1, toolCalls: 1 } as const;
const tool = "get_release_summary";

/** One of each event that a stream can carry. A new type of event does not compile until it is here. */
const EXAMPLES: Examples = {
  accepted: { type: "accepted", runId, conversationId },
  "run.queued": { type: "run.queued", at, behind: runId, position: 1 },
  "run.started": { type: "run.started", at, profile: "chat", input: {}, tools: [tool], registryVersion: "5f1c9a60" },
  turn: {
    type: "turn",
    at,
    round: 1,
    seed: false,
    provider: "offline",
    model: "offline",
    text: "",
    calls: [{ callId, transcriptId: "call_1", tool, kind: "read", arguments: '{"release_id":"v1.4.0"}' }],
    usage,
  },
  "model.retry": {
    type: "model.retry",
    at,
    round: 1,
    attempt: 1,
    code: "rate_limited",
    message: "anthropic is overloaded (529). It is retried automatically.",
    waitMs: 1400,
  },
  "call.held": {
    type: "call.held",
    at,
    callId,
    tool: "file_release_report",
    approvalId: `ap_${callId}`,
    tier: "high",
    effect: "Files the report on v1.4.0.",
    expiresAt: at + 900_000,
    approversNeeded: 1,
    scopes: ["approve:high", "approve:*"],
  },
  "call.unserved": { type: "call.unserved", at: at + 80_000, callId, tool, toolset: "release", since: at },
  "call.decided": { type: "call.decided", at, callId, tool: "file_release_report", outcome: "approved", decidedBy: ["amy"] },
  "call.resolved": { type: "call.resolved", at, callId, tool, status: "ok", latencyMs: 12, content: '{"release_id":"v1.4.0"}', usage },
  "call.settled": {
    type: "call.settled",
    at: at + 3_600_000,
    callId,
    tool: "file_risk_report",
    status: "ok",
    content: "The outcome of file_risk_report (File the report on v1.4.0), approved by amy, was unknown and is known now: it happened.",
  },
  "call.asked": { type: "call.asked", at, callId, question: "Which release?", options: ["v1.4.0", "v1.4.1"], expiresAt: at + 86_400_000 },
  "run.cancelling": { type: "run.cancelling", at, by: "una" },
  "run.completed": { type: "run.completed", at, text: "It is safe to roll out.", truncated: false, report: null, usage },
  "run.failed": {
    type: "run.failed",
    at,
    code: "round_limit",
    message: "The run used its 5 rounds without an answer.",
    report: null,
    usage,
  },
  "run.cancelled": { type: "run.cancelled", at, by: "una", message: "The run was cancelled.", report: null, usage },
  delta: { type: "delta", epoch: 1, round: 1, offset: 0, after: 1, text: "It is" },
  arguments: { type: "arguments", epoch: 1, round: 1, after: 2, index: 0, tool, members: { release_id: "v1.4.0" } },
  reset: { type: "reset", epoch: 2, round: 1 },
  progress: { type: "progress", callId, tool, n: 1, at, message: "half of the commits are read", fraction: 0.5 },
  bye: { type: "bye", reason: "the server is stopping" },
};

const SCHEMAS: EventSchemas = { ...NUMBERED_RUN_EVENTS, ...LIVE_EVENT_SCHEMAS };

/** The schemas of events under their names: each, and one of any durable or live event. */
const NAMED: readonly Pick<Declared<unknown>, "name" | "schema">[] = [
  { name: "RunEvent", schema: NumberedRunEvent },
  { name: "LiveEvent", schema: AnyLiveEvent },
  ...Object.entries(SCHEMAS).map(([type, schema]) => ({ name: eventSchemaName(type), schema })),
];

/** A page of a run's events. */
export const HISTORY: JsonObject = JSON.parse(
  JSON.stringify({
    runId,
    events: [EXAMPLES["run.started"], EXAMPLES.turn].map((event, n) => ({ sequence: n + 1, ...event })),
    next: 2,
  }),
);

/** How a route describes that it answers with the stream of a run. */
export const STREAM = {
  type: "text/event-stream",
  schemas: NAMED,
  media: {
    schema: {
      type: "string",
      description: [
        "Server-sent events (WHATWG HTML, section 9.2), each with its name and one line of JSON. Durable events have an `id`, `<runId>:<sequence>`, and the `sequence` in their data:",
        "after `Last-Event-ID` they continue without gap or repeat. The others are for viewers, and come without an id. A comment line keeps a silent stream open.",
        "Exactly one of `run.completed`, `run.failed` and `run.cancelled` ends it. `contentSchema` describes the data of each event: OpenAPI 3.1 cannot describe the items of a stream.",
      ].join(" "),
      contentMediaType: "application/json",
      contentSchema: JSON.parse(JSON.stringify({ anyOf: [NumberedRunEvent, AnyLiveEvent] })),
    },
    examples: Object.fromEntries(
      Object.values(EXAMPLES).map((example) => [
        nameOf(example.type),
        { summary: SCHEMAS[example.type]?.description ?? "", value: written(example) },
      ]),
    ),
  },
} as const satisfies Partial<RouteDocs["answers"][number]>;

/** Keys of a document have no dots. */
function nameOf(type: string): string {
  return type.replaceAll(".", "_");
}

function written(example: Streamed): Json {
  const durable = example.type in NUMBERED_RUN_EVENTS;
  const data = durable ? { sequence: 7, ...example } : example;
  return `${durable ? `id: ${runId}:7\n` : ""}event: ${example.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
