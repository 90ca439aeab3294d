import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";
import { Scopes, ToolEntries } from "../tool-rights.ts";

const closed = { additionalProperties: false } as const;
const Conversation = Type.String({ pattern: ID_PATTERNS.conversation });
const RunId = Type.String({ pattern: ID_PATTERNS.run });

/** The ways to handle a message that arrives while a run of its conversation is active. */
export const IF_ACTIVE = ["enqueue", "reject", "interrupt"] as const;
export type IfActive = (typeof IF_ACTIVE)[number];

/** The owner of a conversation. The gateway writes it to the family `origin`, and each new message extends its lifetime. */
export const ConversationOrigin = Type.Object(
  {
    conversationId: Conversation,
    tenant: Type.String(),
    owner: Type.String(),
    /** The profile of the conversation's runs. */
    profile: Type.String(),
    createdAt: Type.Integer(),
    /** The W3C trace context of the first message. One conversation is one trace. */
    traceparent: Type.Optional(Type.String({ maxLength: 64 })),
    /** The run of the message that was accepted last. It is absent if no message was accepted, and in documents that are older than this field. */
    lastRun: Type.Optional(RunId),
    /** The time when the owner deleted the conversation. Nobody can read the conversation after that. */
    deletedAt: Type.Optional(Type.Integer()),
  },
  closed,
);
export type ConversationOrigin = Static<typeof ConversationOrigin>;

/**
 * The time for which the gateway keeps the origin of a run. It is longer than the time for which the agent keeps the run, so that the owner of a
 * stored run is always known. Nobody can decide a write whose origin is gone.
 */
export const ORIGIN_KEPT_MS = 9 * 86_400_000;

/**
 * The person who asked for a run, with their rights. Approvals trusts no other record of a requester. The origin is open until `openUntil`. The
 * gateway writes it to the family `origin`, so the agent cannot change who asked for the run.
 */
export const RunOrigin = Type.Object(
  {
    runId: RunId,
    conversationId: Conversation,
    tenant: Type.String(),
    principal: Type.String(),
    scopes: Scopes,
    /**
     * The tools that the requester's key names (see `ToolRights`). If the key names none, this field is absent and the requester may use all tools.
     */
    tools: Type.Optional(ToolEntries),
    agent: Type.String(),
    messageHash: Type.String(),
    via: Type.Object({ kind: Type.Enum(["http", "trigger", "schedule"]), principal: Type.Optional(Type.String()) }, closed),
    createdAt: Type.Integer(),
    openUntil: Type.Integer(),
    /** The hash of the exact text of the message. A card may show a text only if it has this hash. */
    textHash: Type.Optional(Type.String({ maxLength: 64 })),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The signature by the gateway's own key over all other fields. Other services act on the origin only if the signature is valid. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type RunOrigin = Static<typeof RunOrigin>;

/**
 * An entry that the gateway accepted for the agent. The gateway writes it to the family `inbox`. The store's version of the document decides the
 * order.
 */
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
      /** The W3C trace context that the run's steps continue. */
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
      /** The hash of the request's Idempotency-Key. It distinguishes a repeat from another request for the same thing. */
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
      /** The call of `ask_user` that the entry answers. */
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
      /** The id that names the entry on the bus, in the shard of its conversation. No run has this id. */
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

/**
 * Lets a browser read the stream of one run for a limited time, on behalf of the key that asked for the ticket. The gateway writes it to the family
 * `ticket`.
 */
export const StreamTicket = Type.Object(
  { runId: RunId, tenant: Type.String(), principal: Type.String(), keyId: Type.String(), createdAt: Type.Integer() },
  closed,
);
export type StreamTicket = Static<typeof StreamTicket>;

export const parseStreamTicket = parser(StreamTicket);
export const parseRunOrigin = parser(RunOrigin);
export const parseConversationOrigin = parser(ConversationOrigin);
export const parseInboxEntry = parser(InboxEntry);
