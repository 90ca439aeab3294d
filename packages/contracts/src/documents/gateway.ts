import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";
import { Scopes, ToolEntries } from "../tool-rights.ts";

const closed = { additionalProperties: false } as const;
const Conversation = Type.String({ pattern: ID_PATTERNS.conversation });
const RunId = Type.String({ pattern: ID_PATTERNS.run });

/** What to do with a message that arrives while a run of its conversation is active. */
export const IF_ACTIVE = ["enqueue", "reject", "interrupt"] as const;
export type IfActive = (typeof IF_ACTIVE)[number];

/** Who owns a conversation. Family `origin`, written by the gateway; kept as long as messages arrive. */
export const ConversationOrigin = Type.Object(
  {
    conversationId: Conversation,
    tenant: Type.String(),
    owner: Type.String(),
    /** The profile of its runs. */
    profile: Type.String(),
    createdAt: Type.Integer(),
    /** W3C trace context of its first message: one conversation is one trace. */
    traceparent: Type.Optional(Type.String({ maxLength: 64 })),
    /** The run of the message that was accepted last; absent if there is none, or in documents from before this field existed. */
    lastRun: Type.Optional(RunId),
    /** Its owner deleted it: nobody can read it any more. */
    deletedAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type ConversationOrigin = Static<typeof ConversationOrigin>;

/**
 * Who asked for a run and what they may do: the only thing that approvals believes about a requester. Open until `openUntil`. Family `origin`, written by
 * the gateway, so that the agent cannot write the link from run to person.
 */
export const RunOrigin = Type.Object(
  {
    runId: RunId,
    conversationId: Conversation,
    tenant: Type.String(),
    principal: Type.String(),
    scopes: Scopes,
    /** See `ToolRights`; absent: the requester's key names no tools, so it may use all of them. */
    tools: Type.Optional(ToolEntries),
    agent: Type.String(),
    messageHash: Type.String(),
    via: Type.Object({ kind: Type.Enum(["http", "trigger", "schedule"]), principal: Type.Optional(Type.String()) }, closed),
    createdAt: Type.Integer(),
    openUntil: Type.Integer(),
    /** Hash of the exact text of the message: a card may show the text only if it has this hash. */
    textHash: Type.Optional(Type.String({ maxLength: 64 })),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** By the gateway's own key, over all other fields. Other services act on the origin only if it is valid. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type RunOrigin = Static<typeof RunOrigin>;

/** Something the gateway accepted for the agent. Family `inbox`; the store's version of the document gives the order. */
export const InboxEntry = Type.Union([
  Type.Object(
    {
      kind: Type.Literal("message"),
      entryId: Type.String(),
      runId: RunId,
      conversationId: Conversation,
      agent: Type.String(),
      profile: Type.String(),
      text: Type.String({ maxLength: 32_768 }),
      input: Type.Unsafe<JsonObject>({ type: "object" }),
      ifActive: Type.Enum([...IF_ACTIVE]),
      /** W3C trace context that the run's steps continue. */
      traceparent: Type.Optional(Type.String({ maxLength: 64 })),
      acceptedAt: Type.Integer(),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal("cancel"),
      entryId: Type.String(),
      runId: RunId,
      agent: Type.String(),
      by: Type.String(),
      /** The hash of the request's Idempotency-Key: it distinguishes a repeat from another request for the same thing. */
      keyHash: Type.Optional(Type.String()),
      acceptedAt: Type.Integer(),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal("answer"),
      entryId: Type.String(),
      runId: RunId,
      /** The call of `ask_user` that it answers. */
      callId: Type.String({ pattern: ID_PATTERNS.call }),
      agent: Type.String(),
      by: Type.String(),
      text: Type.String({ maxLength: 32_768 }),
      keyHash: Type.Optional(Type.String()),
      acceptedAt: Type.Integer(),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal("delete"),
      entryId: Type.String(),
      /** Names the entry on the bus, in the shard of its conversation. No run has this id. */
      runId: RunId,
      conversationId: Conversation,
      agent: Type.String(),
      by: Type.String(),
      acceptedAt: Type.Integer(),
    },
    closed,
  ),
]);
export type InboxEntry = Static<typeof InboxEntry>;
export type MessageEntry = Extract<InboxEntry, { kind: "message" }>;

/** Lets a browser read the stream of one run for a limited time, on behalf of the key that asked for it. Family `ticket`, written by the gateway. */
export const StreamTicket = Type.Object(
  { runId: RunId, tenant: Type.String(), principal: Type.String(), keyId: Type.String(), createdAt: Type.Integer() },
  closed,
);
export type StreamTicket = Static<typeof StreamTicket>;

export const parseStreamTicket = parser(StreamTicket);
export const parseRunOrigin = parser(RunOrigin);
export const parseConversationOrigin = parser(ConversationOrigin);
export const parseInboxEntry = parser(InboxEntry);
