import type { ArgumentsDelta, Json, RunAccepted, RunEvent, TextDelta, TextReset, ToolProgressed } from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";
import { examples } from "./documented.ts";

type Streamed =
  | RunEvent
  | RunAccepted
  | TextDelta
  | ArgumentsDelta
  | TextReset
  | ToolProgressed
  | { readonly type: "bye"; readonly reason: string };
type Described = { readonly [T in Streamed["type"]]: { readonly says: string; readonly example: Extract<Streamed, { readonly type: T }> } };

const { callId, runId, conversationId } = examples;
const at = 1_763_718_400_000;
const usage = { inputTokens: 812, outputTokens: 64, modelCalls: 1, toolCalls: 1 } as const;
const tool = "get_release_summary";

/** Each event that a stream can carry: what it says, and one such event. A new type of event does not compile until it stands here. */
const EVENTS: Described = {
  accepted: {
    says: "First of a stream that a POST opened: which run it is. Not durable.",
    example: { type: "accepted", runId, conversationId },
  },
  "run.queued": {
    says: "Another run of the conversation is active, and this one waits.",
    example: { type: "run.queued", at, behind: runId },
  },
  "run.started": {
    says: "The agent works on it, with these tools.",
    example: { type: "run.started", at, profile: "chat", input: {}, tools: [tool], registryVersion: "5f1c9a60" },
  },
  turn: {
    says: "What the model said in a round, whole, and the tools that it calls. `usage` is the run's so far.",
    example: {
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
  },
  "model.retry": {
    says: "A call of the model failed and is made again after `waitMs`. Text and arguments that were shown of this round are void.",
    example: {
      type: "model.retry",
      at,
      round: 1,
      attempt: 1,
      code: "rate_limited",
      message: "anthropic is overloaded (529). It is tried again by itself.",
      waitMs: 1400,
    },
  },
  "call.held": {
    says: "A write waits for people.",
    example: {
      type: "call.held",
      at,
      callId,
      tool: "file_release_report",
      approvalId: `ap_${callId}`,
      tier: "high",
      effect: "Files the report on v1.4.0.",
      expiresAt: at + 900_000,
    },
  },
  "call.decided": {
    says: "People, or policy, have decided.",
    example: { type: "call.decided", at, callId, tool: "file_release_report", outcome: "approved", decidedBy: ["amy"] },
  },
  "call.resolved": {
    says: "A call has its one result, here cut to 4 KiB. `usage` is the run's so far.",
    example: { type: "call.resolved", at, callId, tool, status: "ok", latencyMs: 12, content: '{"release_id":"v1.4.0"}', usage },
  },
  "call.asked": {
    says: "The model asks the person; `POST /v1/runs/{id}/answers` answers.",
    example: { type: "call.asked", at, callId, question: "Which release?", options: ["v1.4.0", "v1.4.1"], expiresAt: at + 86_400_000 },
  },
  "run.cancelling": { says: "It was cancelled; what was sent is waited for.", example: { type: "run.cancelling", at, by: "una" } },
  "run.completed": {
    says: "The end: the answer, and the report of an investigation.",
    example: { type: "run.completed", at, text: "It is safe to roll out.", truncated: false, report: null, usage },
  },
  "run.failed": {
    says: "The end: why it failed.",
    example: { type: "run.failed", at, code: "rounds_exhausted", message: "It took more rounds than it may.", report: null, usage },
  },
  "run.cancelled": { says: "The end: it was cancelled.", example: { type: "run.cancelled", at, by: "una", report: null, usage } },
  delta: {
    says: "Text of a round as it comes; the turn that follows says all of it again. Not durable.",
    example: { type: "delta", epoch: 1, round: 1, offset: 0, after: 1, text: "It is" },
  },
  arguments: {
    says: "Members of the arguments of a call, as the model writes them, redacted. Not durable: the `turn` says all of them.",
    example: { type: "arguments", epoch: 1, round: 1, after: 2, index: 0, tool, members: { release_id: "v1.4.0" } },
  },
  reset: {
    says: "The text of this round begins anew: another process took it over. Not durable.",
    example: { type: "reset", epoch: 2, round: 1 },
  },
  progress: {
    says: "How far a tool has come. Not durable.",
    example: { type: "progress", callId, tool, n: 1, at, message: "half of the commits are read", fraction: 0.5 },
  },
  bye: { says: "The server stops. Come back with the last id. Not durable.", example: { type: "bye", reason: "the server is stopping" } },
};

const NOT_DURABLE: ReadonlySet<string> = new Set(["accepted", "delta", "arguments", "reset", "progress", "bye"]);

/** How the description of a route says that it answers with the stream of a run. */
export const STREAM = {
  type: "text/event-stream",
  media: {
    schema: {
      type: "string",
      description: [
        "Server-sent events (WHATWG HTML, section 9.2), each with its name and one line of JSON. Durable events have an `id`, `<runId>:<sequence>`, and the `sequence` in their data:",
        "after `Last-Event-ID` they go on without gap or repeat. The others are for whoever watches, and come without an id. A comment line keeps a silent stream open.",
        "Exactly one of `run.completed`, `run.failed` and `run.cancelled` ends it.",
      ].join(" "),
    },
    examples: Object.fromEntries(
      Object.values(EVENTS).map(({ says, example }) => [nameOf(example.type), { summary: says, value: written(example) }]),
    ),
  },
} as const satisfies Partial<RouteDocs["answers"][number]>;

/** Keys of a document have no dots. */
function nameOf(type: string): string {
  return type.replaceAll(".", "_");
}

function written(example: Streamed): Json {
  const durable = !NOT_DURABLE.has(example.type);
  const data = durable ? { sequence: 7, ...example } : example;
  return `${durable ? `id: ${runId}:7\n` : ""}event: ${example.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
