import { conversationRequest, conversationsQuery, messageRequest, messagesQuery } from "@toolbus/contracts";
import { deleteRoute, getRoute, noQuery, postRoute, type Route } from "@toolbus/runtime";
import { ownConversation } from "../conversation-access.ts";
import { contextView, messagePage } from "../conversation-messages.ts";
import { conversationPage } from "../conversation-page.ts";
import { conversationView } from "../conversation-view.ts";
import type { Gateway } from "../gateway.ts";
import { createConversation } from "../inbound/create-conversation.ts";
import { deleteConversation, deletedView } from "../inbound/delete-conversation.ts";
import { sendMessage } from "../inbound/send-message.ts";
import { orProblem } from "../refused.ts";
import { CALLERS } from "./callers.ts";
import { conversationId, recorded, REPLAY, STARTED, views } from "./documented.ts";
import { STREAM } from "./event-docs.ts";
import type { Limits } from "./limits.ts";
import { answerWithRun } from "./started-run.ts";

const TAG = "Conversations";
const CONVERSATIONS = 20;
const MESSAGES = 50;

export function conversationRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  const { state } = gateway;
  return [
    postRoute({
      url: "/v1/conversations",
      access: CALLERS,
      docs: {
        operationId: "createConversation",
        tag: TAG,
        summary: "Begins a conversation.",
        description: "`profile` names who answers in it: `chat` by default.",
        answers: {
          201: {
            says: "The new, empty conversation.",
            body: views.conversation,
            example: recorded.conversation,
            headers: { Location: "The conversation.", ...REPLAY },
          },
        },
        problems: ["conflict", "idempotency_key_reused", "expired"],
      },
      body: {
        declared: conversationRequest,
        required: false,
        examples: [{}, { profile: "chat" }],
        remedy: 'Send {} or {"profile": "chat"}.',
      },
      rate: limits.conversations,
      async handle({ principal, key, body, reply }) {
        const { origin, replayed } = orProblem(await createConversation(gateway, { principal, key, body }));
        if (replayed) reply.header("idempotent-replay", "true");
        reply.code(201).header("location", `/v1/conversations/${origin.conversationId}`);
        return conversationView({ origin, state: null });
      },
    }),
    getRoute({
      url: "/v1/conversations",
      access: CALLERS,
      docs: {
        operationId: "listConversations",
        tag: TAG,
        summary: "The caller's own conversations, newest first.",
        description:
          "Those of investigations are included: see `profile`. A page may hold fewer than its limit, and still have a next page.",
        answers: { 200: { says: "A page of conversations.", body: views.conversations, example: recorded.conversations } },
        problems: ["invalid_cursor"],
      },
      query: conversationsQuery,
      handle: ({ principal, query: { limit = CONVERSATIONS, cursor } }) => conversationPage(state, principal, { limit, cursor }),
    }),
    getRoute({
      url: "/v1/conversations/:id",
      access: CALLERS,
      docs: {
        operationId: "getConversation",
        tag: TAG,
        summary: "A conversation: its profile, the run that is active and those that wait.",
        id: conversationId,
        answers: { 200: { says: "The conversation.", body: views.conversation, example: recorded.conversation } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ id, principal }) => conversationView(await ownConversation(state, id, principal)),
    }),
    deleteRoute({
      url: "/v1/conversations/:id",
      access: CALLERS,
      docs: {
        operationId: "deleteConversation",
        tag: TAG,
        summary: "Deletes a conversation, and lists what is kept.",
        description: [
          "Refused while a run of it is active or waits. After the answer it is no longer found; its messages are removed soon after.",
          "Only the owner of a conversation may delete it. A repeat gets the same answer.",
        ].join("\n\n"),
        id: conversationId,
        answers: { 200: { says: "It is deleted.", body: views.deletedConversation, example: recorded.deletedConversation } },
        problems: ["conflict", "conversation_busy"],
      },
      handle: async ({ id, principal }) => deletedView(orProblem(await deleteConversation(gateway, { principal, conversationId: id }))),
    }),
    getRoute({
      url: "/v1/conversations/:id/messages",
      access: CALLERS,
      docs: {
        operationId: "listMessages",
        tag: TAG,
        summary: "The messages of a conversation, newest page first.",
        description: "Within a page the oldest message comes first. `before` of a page asks for the one before it.",
        id: conversationId,
        answers: { 200: { says: "A page of messages.", body: views.messages, example: recorded.messages } },
        problems: [],
      },
      query: messagesQuery,
      async handle({ id, principal, query: { limit = MESSAGES, before } }) {
        const { origin } = await ownConversation(state, id, principal);
        return messagePage(state, origin.conversationId, { limit, before });
      },
    }),
    postRoute({
      url: "/v1/conversations/:id/messages",
      access: CALLERS,
      docs: {
        operationId: "sendMessage",
        tag: TAG,
        summary: "Sends a message, which starts a run.",
        description: [
          "If `Accept` asks for `text/event-stream`, it answers with the stream of the run; otherwise at once with the run, which can be followed at its `events`.",
          "While a run of the conversation is active, the message waits behind it, or is refused (`reject`), or cancels it and goes first (`interrupt`), as `ifActive` says.",
          "Only the owner of a conversation sends messages in it. The message is `content`, as in the list of messages; its earlier name `text` is accepted as well.",
        ].join("\n\n"),
        id: conversationId,
        answers: {
          200: { says: "The stream of its run, if requested.", headers: STARTED, ...STREAM },
          202: { says: "The request was accepted.", body: views.run, example: recorded.acceptedRun, headers: STARTED },
        },
        problems: ["conflict", "conversation_busy", "queue_full", "idempotency_key_reused", "expired", "rate_limited"],
      },
      body: {
        declared: messageRequest,
        required: true,
        examples: [{ content: "Is v1.4.0 safe to roll out?" }, { content: "Stop that, and look at v1.4.1.", ifActive: "interrupt" }],
        remedy: 'Send {"content": "…"}, optionally with "ifActive".',
      },
      rate: limits.runs,
      async handle({ id, principal, key, body, request, reply }) {
        const sent = { principal, key, conversationId: id, body };
        return answerWithRun(gateway, { principal, request, reply }, (traceparent) => sendMessage(gateway, { ...sent, traceparent }));
      },
    }),
    getRoute({
      url: "/v1/conversations/:id/context",
      access: CALLERS,
      docs: {
        operationId: "getContext",
        tag: TAG,
        summary: "What a conversation contains and has used.",
        description: "Tool calls are those of its newest 200 messages.",
        id: conversationId,
        answers: { 200: { says: "Its context.", body: views.context, example: recorded.context } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ id, principal }) => contextView(state, await ownConversation(state, id, principal)),
    }),
  ];
}
