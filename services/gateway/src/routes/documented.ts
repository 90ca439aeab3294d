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
import answers from "./recorded-answers.json" with { type: "json" };

// The descriptions of several routes share these parts: the views under their names, and consistent examples.

const RUN = "rn_05_01JD0000000000000000000001";
const CONVERSATION = "cv_05_01JD0000000000000000000001";
const CALL = `${RUN}.1.0`;
const AT = 1_763_718_400_000;

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

const FINGERPRINT = "c5a1f1d4e2b39a60";

/** A message as Alertmanager sends it. One alert fires, and another one of its group is resolved. */
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

/** The answers of a whole system (docs/testing.md#examples-of-the-api). */
export const recorded: Readonly<Record<keyof typeof answers, JsonObject>> = answers;

export const examples = {
  runId: RUN,
  conversationId: CONVERSATION,
  callId: CALL,
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

/** The headers of answers to requests that start something. */
export const REPLAY = {
  "idempotent-replay": "`true` when this repeats the answer to an earlier request with the same Idempotency-Key.",
} as const;
export const STARTED = { Location: "Where to follow the run.", "x-toolbus-run-id": "The run.", ...REPLAY } as const;
