import { conversationRequest, conversationsQuery, firstMessageRequest, messageRequest, messagesQuery } from "@toolbus/contracts";
import { deleteRoute, getRoute, noQuery, postRoute, type Route } from "@toolbus/runtime";
import { ownConversation } from "../conversation-access.ts";
import { contextView, messagePage } from "../conversation-messages.ts";
import { conversationPage } from "../conversation-page.ts";
import { conversationView } from "../conversation-view.ts";
import type { Gateway } from "../gateway.ts";
import { createConversation } from "../inbound/create-conversation.ts";
import { deleteConversation, deletedView } from "../inbound/delete-conversation.ts";
import { sendFirstMessage } from "../inbound/first-message.ts";
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
        description: "`profile` names the profile of the agent that answers. The default is `chat`.",
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
        summary: "Lists the caller's own conversations, newest first.",
        description:
          "The list includes the conversations of investigations, which `profile` shows. A page may have fewer conversations than its limit and not be the last.",
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
        summary: "Shows a conversation: its profile, the active run and the waiting runs.",
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
          "The request is refused while a run of the conversation is active or waits. After the answer, the conversation is not found any more. Its messages are removed soon after.",
          "Only the owner of a conversation may delete it. A repeat gets the same answer.",
        ].join("\n\n"),
        id: conversationId,
        answers: { 200: { says: "The conversation is deleted.", body: views.deletedConversation, example: recorded.deletedConversation } },
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
        summary: "Lists the messages of a conversation, newest page first.",
        description: "Within a page, the oldest message is first. Send the `before` of a page to get the page before it.",
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
          "If `Accept` asks for `text/event-stream`, the answer is the stream of the run. Otherwise the answer is the run, at once, and the client can follow the run at its `events`.",
          "`ifActive` decides what happens while a run of the conversation is active. The message waits for the run (`enqueue`), is refused (`reject`), or cancels the run and is handled next (`interrupt`).",
          "Only the owner of a conversation sends messages in it. The message is in `content`, as in the list of messages. The earlier name `text` is accepted too.",
        ].join("\n\n"),
        id: conversationId,
        answers: {
          200: { says: "The stream of the run, if requested.", headers: STARTED, ...STREAM },
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
    postRoute({
      url: "/v1/messages",
      access: CALLERS,
      docs: {
        operationId: "sendFirstMessage",
        tag: TAG,
        summary: "Begins a conversation with its first message, which starts a run.",
        description: [
          "This is `POST /v1/conversations` and the first `POST /v1/conversations/{id}/messages` in one request. The answer is that of the second one. Send later messages to the `conversationId` in it.",
          "`profile` names the profile of the agent that answers. The default is `chat`.",
        ].join("\n\n"),
        answers: {
          200: { says: "The stream of the run, if requested.", headers: STARTED, ...STREAM },
          202: { says: "The request was accepted.", body: views.run, example: recorded.acceptedRun, headers: STARTED },
        },
        problems: ["conflict", "idempotency_key_reused", "rate_limited"],
      },
      body: {
        declared: firstMessageRequest,
        required: true,
        examples: [{ content: "Is v1.4.0 safe to roll out?" }, { content: "What changed in v1.4.0?", profile: "chat" }],
        remedy: 'Send {"content": "…"}, optionally with "profile".',
      },
      rate: limits.runs,
      async handle({ principal, key, body, request, reply }) {
        const sent = { principal, key, body };
        return answerWithRun(gateway, { principal, request, reply }, (traceparent) => sendFirstMessage(gateway, { ...sent, traceparent }));
      },
    }),
    getRoute({
      url: "/v1/conversations/:id/context",
      access: CALLERS,
      docs: {
        operationId: "getContext",
        tag: TAG,
        summary: "Shows what a conversation contains and has used.",
        description: "Only the tool calls of its newest 200 messages are listed.",
        id: conversationId,
        answers: { 200: { says: "The context of the conversation.", body: views.context, example: recorded.context } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ id, principal }) => contextView(state, await ownConversation(state, id, principal)),
    }),
  ];
}
