import { type Static, Type } from "./schema.ts";
import { LETTER_STATES } from "./dead-letter-view.ts";
import { ON_CARD } from "./decision-on-card.ts";
import { DECISIONS } from "./documents/approval.ts";
import { IF_ACTIVE } from "./documents/gateway.ts";
import { QUESTION_ACTIONS, QuestionId } from "./documents/question.ts";
import { RUN_VIEW_STATUSES } from "./http-views.ts";
import { ID_PATTERNS } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import { declared, declaredQuery, jsonParser } from "./parse.ts";
import { ReleaseMeasurements } from "./release-measurements.ts";
import { RUN_OUTCOMES } from "./run-outcomes.ts";
import { Scopes, ToolEntries } from "./tool-rights.ts";

const closed = { additionalProperties: false } as const;

/** The schema of a request without fields. Its query or body must be empty. */
export const NO_FIELDS = Type.Object({}, closed);

/** The name of a profile in its file. */
export const ProfileName = Type.String({ pattern: "^[a-z][a-z0-9-]{0,63}$" });

const Labels = Type.Unsafe<Readonly<Record<string, string>>>({
  type: "object",
  maxProperties: 64,
  propertyNames: { type: "string", maxLength: 128 },
  additionalProperties: { type: "string", maxLength: 2000 },
});

/** One alert, in the form in which Alertmanager sends each of its `alerts`. */
export const Alert = Type.Object(
  {
    labels: Labels,
    annotations: Type.Optional(Labels),
    status: Type.Optional(Type.Enum(["firing", "resolved"])),
    startsAt: Type.Optional(Type.String({ maxLength: 64 })),
    endsAt: Type.Optional(Type.String({ maxLength: 64 })),
    generatorURL: Type.Optional(Type.String({ maxLength: 2000 })),
    fingerprint: Type.Optional(Type.String({ maxLength: 128 })),
  },
  closed,
);
export type Alert = Static<typeof Alert>;

/** The release's id in the release API. */
export const ReleaseId = Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000-\\u001f]+$" });

/** Further information for the agent. */
export const Note = Type.String({ maxLength: 4000 });

/**
 * The facts of a release's change, in the format of the package release-facts. The gateway checks them by its schema, because the contracts do not know
 * the format.
 */
const Changes = Type.Unsafe<JsonObject>({
  type: "object",
  description: "The facts of the change, as `toolbus investigate --repo` derives them from a repository, in at most 24576 bytes.",
});

/**
 * The body of `POST /v1/investigations`. It names a release, contains the facts of its change, or both, or it contains an alert. Measurements belong to
 * the facts of a change.
 */
export const InvestigationRequest = Type.Object(
  {
    releaseId: Type.Optional(ReleaseId),
    changes: Type.Optional(Changes),
    measurements: Type.Optional(ReleaseMeasurements),
    alert: Type.Optional(Alert),
    note: Type.Optional(Note),
  },
  closed,
);
export type InvestigationRequest = Static<typeof InvestigationRequest>;
export const investigationRequest = declared("InvestigationRequest", InvestigationRequest);

/** The body of `POST /v1/conversations`. */
export const ConversationRequest = Type.Object({ profile: Type.Optional(ProfileName) }, closed);
export type ConversationRequest = Static<typeof ConversationRequest>;
export const conversationRequest = declared("ConversationRequest", ConversationRequest);

/** The query of `GET /v1/conversations`. */
export const conversationsQuery = declaredQuery(
  "ConversationsQuery",
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many conversations at most." })),
      cursor: Type.Optional(Type.String({ maxLength: 2000, description: "The `cursor` of the previous page." })),
    },
    closed,
  ),
);

/** The longest message of a person, in characters. */
export const MAX_MESSAGE_CHARS = 32_768;

/** The body of `POST /v1/conversations/{id}/messages`. It has either `content` or `text`. */
export const MessageRequest = Type.Object(
  {
    /** The message. The answer to `GET` on the same path uses the same name. */
    content: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARS, description: "The text of the message." })),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARS, description: "The earlier name of `content`; it means the same." }),
    ),
    /**
     * What happens to the message if a run is active. The message waits behind that run (the default), or is refused, or cancels that run and starts
     * first.
     */
    ifActive: Type.Optional(Type.Enum([...IF_ACTIVE])),
  },
  closed,
);
export type MessageRequest = Static<typeof MessageRequest>;
export const messageRequest = declared("MessageRequest", MessageRequest);

/** The body of `POST /v1/messages`. */
export const FirstMessageRequest = Type.Object(
  {
    profile: Type.Optional(ProfileName),
    content: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARS, description: "The text of the message." }),
  },
  closed,
);
export type FirstMessageRequest = Static<typeof FirstMessageRequest>;
export const firstMessageRequest = declared("FirstMessageRequest", FirstMessageRequest);

/** The query of `GET /v1/conversations/{id}/messages`. */
export const messagesQuery = declaredQuery(
  "MessagesQuery",
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "How many messages at most." })),
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: "The `before` of the later page: returns the messages before that page." }),
      ),
    },
    closed,
  ),
);

/** The query of `GET /v1/runs/{id}/events`. */
export const eventsQuery = declaredQuery(
  "EventsQuery",
  Type.Object(
    {
      lastEventId: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Same as the header `Last-Event-ID`, which a newly opened EventSource cannot send.",
        }),
      ),
    },
    closed,
  ),
);

/** The query of `GET /v1/calls/{id}/media`. */
export const mediaQuery = declaredQuery(
  "MediaQuery",
  Type.Object(
    { blob: Type.String({ pattern: "^sha256-[0-9a-f]{64}$", description: "The name of the bytes, as `call.resolved` lists it." }) },
    closed,
  ),
);

/** The query of `GET /v1/runs/{id}/history`. */
export const historyQuery = declaredQuery(
  "HistoryQuery",
  Type.Object(
    {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          default: 0,
          description: "The `sequence` of the client's last event, or `next` of the previous page: returns the events after it.",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100, description: "How many events at most." })),
    },
    closed,
  ),
);

/** The query of `GET /v1/runs`. */
export const runsQuery = declaredQuery(
  "RunsQuery",
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many runs at most." })),
      cursor: Type.Optional(Type.String({ maxLength: 2000, description: "What the previous page gave as `cursor`." })),
      status: Type.Optional(Type.Enum([...RUN_VIEW_STATUSES], { description: "Only those that stand so." })),
      outcome: Type.Optional(Type.Enum([...RUN_OUTCOMES], { description: "Only those that have it among their `outcomes`." })),
      profile: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only those of this profile." })),
      since: Type.Optional(
        Type.Integer({ minimum: 0, description: "Only those requested at this time or later, in milliseconds since 1970." }),
      ),
      requester: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "The runs of this principal of the tenant, such as a trigger, instead of the caller's own; for operators.",
        }),
      ),
    },
    closed,
  ),
);

/** The body of `POST /v1/runs/{id}/answers`. It answers a question of `ask_user`. */
export const AnswerRequest = Type.Object(
  { callId: Type.String({ pattern: ID_PATTERNS.call }), text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARS }) },
  closed,
);
export type AnswerRequest = Static<typeof AnswerRequest>;
export const answerRequest = declared("AnswerRequest", AnswerRequest);

/** The body of `POST /v1/runs/{id}/question-answers`. It answers a question of a tool. */
export const QuestionAnswerRequest = Type.Object(
  {
    callId: Type.String({ pattern: ID_PATTERNS.call }),
    /** It belongs to one attempt of the call. The next attempt asks under another id. */
    questionId: QuestionId,
    action: Type.Enum([...QUESTION_ACTIONS]),
    content: Type.Optional(
      Type.Unsafe<JsonObject>({ type: "object", description: "The fields of the question's `form`, if the action is `accept`." }),
    ),
  },
  closed,
);
export type QuestionAnswerRequest = Static<typeof QuestionAnswerRequest>;
export const questionAnswerRequest = declared("QuestionAnswerRequest", QuestionAnswerRequest);

/** The body of `POST /v1/approvals/{id}/decision`. */
export const DecisionRequest = Type.Object(
  {
    decision: Type.Enum([...DECISIONS]),
    /** The single-use token that `GET /v1/approvals/{id}` returned to this approver. */
    token: Type.String({ minLength: 16, maxLength: 200 }),
    comment: Type.Optional(Type.String({ maxLength: 2000 })),
    /** The ticket, which is required for critical writes. */
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    ...ON_CARD,
  },
  closed,
);
export type DecisionRequest = Static<typeof DecisionRequest>;
export const decisionRequest = declared("DecisionRequest", DecisionRequest);

/** The query of `GET /v1/dead-letters`. */
export const deadLettersQuery = declaredQuery(
  "DeadLettersQuery",
  Type.Object(
    {
      queue: Type.Optional(
        Type.String({ pattern: "^[\\w.-]{1,200}$", description: "Only those of this queue, such as `tool.invoke.release`." }),
      ),
      state: Type.Optional(
        Type.Enum([...LETTER_STATES], {
          description: "Only those in this state: neither replayed nor dismissed, being replayed, replayed, or dismissed.",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many dead letters at most." })),
      cursor: Type.Optional(Type.String({ maxLength: 2000, description: "The `cursor` of the previous page." })),
    },
    closed,
  ),
);

/**
 * The roles of people. A user starts and follows runs. An operator sees everything of the tenant. An approver decides, and only approvals uses this
 * role.
 */
export const PERSON_ROLES = ["user", "operator", "approver"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** The roles of programs that may begin investigations. Each program may call only the route of its trigger. */
export const TRIGGER_ROLES = ["alertmanager", "releaser"] as const;

export const ROLES = [...PERSON_ROLES, ...TRIGGER_ROLES] as const;
export type Role = (typeof ROLES)[number];

/** One API key in the file that `API_KEYS_FILE` names. The file contains only the SHA-256 of the key. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    principal: Type.String({ minLength: 1, maxLength: 200 }),
    tenant: Type.String({ minLength: 1, maxLength: 64 }),
    roles: Type.Array(Type.Enum([...ROLES]), { minItems: 1 }),
    scopes: Scopes,
    /** The groups of the key's owner. A policy can require approvers of certain groups. */
    groups: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 64 })),
    /** The toolsets and tools that runs of the key's owner may use. The field is absent if they may use all tools. */
    tools: Type.Optional(ToolEntries),
    /** The time when the key expires, in milliseconds since 1970 by the service's clock. It is absent if the key never expires. */
    expiresAt: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type ApiKey = Static<typeof ApiKey>;

export const parseApiKeys = jsonParser(Type.Array(ApiKey));

/** The body of a problem (RFC 9457). `remedy` says what to do. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}
