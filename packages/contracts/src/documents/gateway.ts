import { type Static, Type } from "typebox";
import { ID_PATTERNS } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;
const Conversation = Type.String({ pattern: ID_PATTERNS.conversation });
const RunId = Type.String({ pattern: ID_PATTERNS.run });

/** Who owns a conversation. Family `origin`, written by the gateway. */
export const ConversationOrigin = Type.Object(
  { conversationId: Conversation, tenant: Type.String(), owner: Type.String(), createdAt: Type.Integer() },
  closed,
);
export type ConversationOrigin = Static<typeof ConversationOrigin>;

/**
 * Who asked for a run and what they may do: the only thing that approvals believes about a requester. Open until `openUntil`.
 * Family `origin`, written by the gateway, so the link from run to person is not the agent's to write.
 */
export const RunOrigin = Type.Object(
  {
    runId: RunId,
    conversationId: Conversation,
    tenant: Type.String(),
    principal: Type.String(),
    scopes: Type.Array(Type.String(), { maxItems: 64 }),
    agent: Type.String(),
    messageHash: Type.String(),
    via: Type.Object({ kind: Type.Enum(["http", "trigger", "schedule"]), principal: Type.Optional(Type.String()) }, closed),
    createdAt: Type.Integer(),
    openUntil: Type.Integer(),
  },
  closed,
);
export type RunOrigin = Static<typeof RunOrigin>;

/** Something the gateway accepted for the agent. Family `inbox`; the store's version of the document is its order. */
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
      acceptedAt: Type.Integer(),
    },
    closed,
  ),
]);
export type InboxEntry = Static<typeof InboxEntry>;
export type MessageEntry = Extract<InboxEntry, { kind: "message" }>;

export const parseRunOrigin = parser(RunOrigin);
export const parseConversationOrigin = parser(ConversationOrigin);
export const parseInboxEntry = parser(InboxEntry);
