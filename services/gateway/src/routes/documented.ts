import {
  AgentList,
  type Declared,
  declared,
  ID_PATTERNS,
  type JsonObject,
  MessagePage,
  RunHistory,
  RunPage,
  RunView,
  ContextView,
  ConversationPage,
  ConversationView,
  DeletedConversation,
  StreamTicketView,
  ToolList,
} from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";
import { deletedView } from "../inbound/delete-conversation.ts";

// What the descriptions of several routes share: the views under their names, and consistent examples.

const RUN = "rn_05_01JD0000000000000000000001";
const CONVERSATION = "cv_05_01JD0000000000000000000001";
const CALL = `${RUN}.1.0`;
const AT = 1_763_718_400_000;
const USAGE = { inputTokens: 812, outputTokens: 64, modelCalls: 1, toolCalls: 1 } as const;

export const views = {
  run: declared("Run", RunView),
  runs: declared("RunPage", RunPage),
  history: declared("RunHistory", RunHistory),
  conversation: declared("Conversation", ConversationView),
  conversations: declared("ConversationPage", ConversationPage),
  deletedConversation: declared("DeletedConversation", DeletedConversation),
  messages: declared("MessagePage", MessagePage),
  context: declared("Context", ContextView),
  ticket: declared("StreamTicket", StreamTicketView),
  tools: declared("ToolList", ToolList),
  agents: declared("AgentList", AgentList),
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
  waits: [{ kind: "agent", says: "No agent has taken the run yet.", since: AT }],
};

const approvalId = `ap_${CALL}`;
const expiresAt = AT + 900_000;

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
  awaiting: [{ kind: "approval", callId: CALL, tool: "file_release_report", approvalId, expiresAt }],
  waits: [
    {
      kind: "approval",
      says: "file_release_report waits for a person to decide (high tier): an approver with the scope approve:high or approve:*, other than user:ada, who asked for it.",
      tier: "high",
      scopes: ["approve:high", "approve:*"],
      approversNeeded: 1,
      notBy: ["user:ada"],
      callId: CALL,
      tool: "file_release_report",
      approvalId,
      since: AT,
      until: expiresAt,
    },
  ],
  answer: null,
  report: null,
};

const conversationLinks = {
  self: `/v1/conversations/${CONVERSATION}`,
  messages: `/v1/conversations/${CONVERSATION}/messages`,
  context: `/v1/conversations/${CONVERSATION}/context`,
};

const conversation: JsonObject = {
  conversationId: CONVERSATION,
  profile: "chat",
  owner: "una",
  createdAt: AT,
  activeRun: null,
  queued: [],
  runs: 0,
  links: conversationLinks,
};

const FINGERPRINT = "c5a1f1d4e2b39a60";

/** As Alertmanager sends it: one alert fires, and one of its group is resolved. */
const alertmanagerMessage: JsonObject = {
  receiver: "toolbus",
  status: "firing",
  alerts: [
    {
      status: "firing",
      labels: { alertname: "HighErrorRate", service: "checkout", severity: "page" },
      annotations: { summary: "5 % of checkouts fail" },
      startsAt: "2026-11-21T09:00:00.103Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus:9090/graph?g0.expr=job%3Aerrors%3Aratio+%3E+0.05",
      fingerprint: FINGERPRINT,
    },
    {
      status: "resolved",
      labels: { alertname: "HighErrorRate", service: "basket", severity: "page" },
      annotations: { summary: "6 % of baskets fail" },
      startsAt: "2026-11-21T08:40:00.103Z",
      endsAt: "2026-11-21T09:00:00.103Z",
      generatorURL: "http://prometheus:9090/graph?g0.expr=job%3Aerrors%3Aratio+%3E+0.05",
      fingerprint: "7d1f2a3b4c5d6e7f",
    },
  ],
  groupLabels: { alertname: "HighErrorRate" },
  commonLabels: { alertname: "HighErrorRate", severity: "page" },
  commonAnnotations: {},
  externalURL: "http://alertmanager:9093",
  version: "4",
  groupKey: '{}:{alertname="HighErrorRate"}',
  truncatedAlerts: 0,
};

export const examples = {
  runId: RUN,
  conversationId: CONVERSATION,
  callId: CALL,
  acceptedRun,
  waitingRun,
  runs: { runs: [Object.fromEntries(Object.entries(waitingRun).filter(([name]) => name !== "waits"))] },
  conversation,
  conversations: { conversations: [conversation] },
  deletedConversation: { ...deletedView({ kind: "deleted", conversationId: CONVERSATION, deletedAt: AT }) },
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
  alertmanagerMessage,
  alertTrigger: {
    alerts: [
      { fingerprint: FINGERPRINT, outcome: "started", runId: RUN },
      { fingerprint: "7d1f2a3b4c5d6e7f", outcome: "ignored", reason: "resolved" },
    ],
    truncated: 0,
  },
  releaseTrigger: { releaseId: "v1.4.0", outcome: "started", runId: RUN },
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
