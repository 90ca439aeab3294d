import {
  type Declared,
  declared,
  ID_PATTERNS,
  type JsonObject,
  MessagePage,
  RunPage,
  RunView,
  ContextView,
  ConversationView,
  StreamTicketView,
  ToolList,
} from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";

// What the descriptions of several routes share: the views under their names, and examples that hang together.

const RUN = "rn_05_01JD0000000000000000000001";
const CONVERSATION = "cv_05_01JD0000000000000000000001";
const CALL = `${RUN}.1.0`;
const AT = 1_763_718_400_000;
const USAGE = { inputTokens: 812, outputTokens: 64, modelCalls: 1, toolCalls: 1 } as const;

export const views = {
  run: declared("Run", RunView),
  runs: declared("RunPage", RunPage),
  conversation: declared("Conversation", ConversationView),
  messages: declared("MessagePage", MessagePage),
  context: declared("Context", ContextView),
  ticket: declared("StreamTicket", StreamTicketView),
  tools: declared("ToolList", ToolList),
} as const satisfies Readonly<Record<string, Declared<unknown>>>;

const runLinks = {
  self: `/v1/runs/${RUN}`,
  events: `/v1/runs/${RUN}/events`,
  cancel: `/v1/runs/${RUN}/cancel`,
  answers: `/v1/runs/${RUN}/answers`,
};

const acceptedRun: JsonObject = {
  runId: RUN,
  conversationId: CONVERSATION,
  requester: "una",
  createdAt: AT,
  links: runLinks,
  status: "accepted",
};

const waitingRun: JsonObject = {
  ...acceptedRun,
  status: "awaiting_approval",
  profile: "release-investigation",
  input: { releaseId: "v1.4.0" },
  round: 2,
  usage: USAGE,
  activeMs: 2310,
  startedAt: AT,
  endedAt: null,
  openCalls: [CALL],
  awaiting: [{ kind: "approval", callId: CALL, tool: "file_release_report", approvalId: `ap_${CALL}`, expiresAt: AT + 900_000 }],
  answer: null,
  report: null,
};

const links = {
  self: `/v1/conversations/${CONVERSATION}`,
  messages: `/v1/conversations/${CONVERSATION}/messages`,
  context: `/v1/conversations/${CONVERSATION}/context`,
};

export const examples = {
  runId: RUN,
  conversationId: CONVERSATION,
  callId: CALL,
  acceptedRun,
  waitingRun,
  runs: { runs: [waitingRun] },
  conversation: { conversationId: CONVERSATION, profile: "chat", owner: "una", createdAt: AT, activeRun: null, queued: [], runs: 0, links },
  messages: {
    messages: [
      { id: `${CONVERSATION}:1`, role: "user", content: "Is v1.4.0 safe to roll out?", at: AT, runId: RUN, metadata: {} },
      {
        id: `${CONVERSATION}:2`,
        role: "assistant",
        content: "It is; error rates are as before.",
        at: AT + 2310,
        runId: RUN,
        metadata: { round: 1, provider: "offline", model: "offline", calls: [] },
      },
    ],
  },
  context: {
    conversationId: CONVERSATION,
    profile: "chat",
    messages: 4,
    runs: 1,
    usage: USAGE,
    provider: "offline",
    model: "offline",
    toolCalls: [{ callId: CALL, tool: "get_release_summary", status: "ok" }],
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  },
  ticket: { runId: RUN, expiresAt: AT + 3_600_000 },
} as const satisfies Readonly<Record<string, string | JsonObject>>;

export const runId: NonNullable<RouteDocs["id"]> = { says: "The run.", pattern: ID_PATTERNS.run, example: RUN };
export const conversationId: NonNullable<RouteDocs["id"]> = {
  says: "The conversation.",
  pattern: ID_PATTERNS.conversation,
  example: CONVERSATION,
};

/** Headers of answers to requests that start something. */
export const REPLAY = {
  "idempotent-replay": "`true` when this repeats the answer to an earlier request with the same Idempotency-Key.",
} as const;
export const STARTED = { Location: "Where to follow the run.", "x-toolbus-run-id": "The run.", ...REPLAY } as const;
