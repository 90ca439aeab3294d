import { declared, DeadLetterPage, deadLettersQuery, DeadLetterView, ID_PATTERNS, type JsonObject, type Role } from "@toolbus/contracts";
import { getRoute, noBody, noQuery, postRoute, type Route, type RouteDocs } from "@toolbus/runtime";
import { askReplay, whyNotReplayed } from "../dead-letters/ask-replay.ts";
import { dismissLetter } from "../dead-letters/dismiss-letter.ts";
import { findLetter } from "../dead-letters/find-letter.ts";
import { letterPage } from "../dead-letters/letter-page.ts";
import { letterView } from "../dead-letters/letter-view.ts";
import type { Gateway } from "../gateway.ts";
import { orProblem } from "../refused.ts";
import { examples, REPLAY } from "./documented.ts";
import type { Limits } from "./limits.ts";

const TAG = "Dead letters";
const LETTERS = 20;
const OPERATORS: readonly Role[] = ["operator"];

/** Returns the routes `/v1/dead-letters…`, with which operators see the messages that queues gave up. */
export function deadLetterRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  const { state } = gateway;
  return [
    getRoute({
      url: "/v1/dead-letters",
      access: OPERATORS,
      docs: {
        operationId: "listDeadLetters",
        tag: TAG,
        summary: "Lists the messages that their queues gave up, newest first.",
        description:
          "The list has the messages whose run belongs to the operator's tenant, and the messages that name no run. A page may have fewer messages than its limit and not be the last.",
        answers: { 200: { says: "A page of dead letters.", body: PAGE, example: { deadLetters: [summary] } } },
        problems: ["invalid_cursor"],
      },
      query: deadLettersQuery,
      handle: ({ principal, query: { limit = LETTERS, cursor, queue, state: only } }) =>
        letterPage(state, principal, { limit, cursor, queue, state: only }),
    }),
    getRoute({
      url: "/v1/dead-letters/:id",
      access: OPERATORS,
      docs: {
        operationId: "getDeadLetter",
        tag: TAG,
        summary: "Shows a dead letter: its message, and why the message was given up.",
        description: "Grants and secrets are left out, and anything that looks like a credential is replaced.",
        id: letterId,
        answers: { 200: { says: "The dead letter.", body: VIEW, example: open } },
        problems: [],
      },
      query: noQuery,
      async handle({ id, principal }) {
        const found = orProblem(await findLetter(state, id, principal));
        return letterView(found, await whyNotReplayed(state, found));
      },
    }),
    postRoute({
      url: "/v1/dead-letters/:id/replay",
      access: OPERATORS,
      docs: {
        operationId: "replayDeadLetter",
        tag: TAG,
        summary: "Replays a dead letter, once.",
        description:
          "The worker of `operations` sends the message to its queue again. If the message had something that a dead letter does not store, the agent checks the call at once instead. `replayBy` says which of the two happens. If the message is given up again, it is a new dead letter that refers to this one.",
        id: letterId,
        answers: {
          200: { says: "The dead letter was replayed before.", body: VIEW, example: replayed },
          202: { says: "The request was accepted.", body: VIEW, example: replaying, headers: REPLAY },
        },
        problems: ["not_replayable", "conflict"],
      },
      body: noBody,
      rate: limits.actions,
      async handle({ id, principal, key, reply }) {
        const { found, over, replayed: again } = orProblem(await askReplay(gateway, { principal, key, letterId: id }));
        if (again) reply.header("idempotent-replay", "true");
        reply.code(over ? 200 : 202);
        return letterView(found);
      },
    }),
    postRoute({
      url: "/v1/dead-letters/:id/dismiss",
      access: OPERATORS,
      docs: {
        operationId: "dismissDeadLetter",
        tag: TAG,
        summary: "Notes that nothing is left to do about a dead letter.",
        description:
          "Lists with `state=open` leave it out, and `toolbus doctor` no longer reports it. Nothing is sent, the dead letter is kept as long as before, and it can still be replayed.",
        id: letterId,
        answers: { 200: { says: "The dead letter is dismissed, now or since before.", body: VIEW, example: dismissed } },
        problems: ["conflict"],
      },
      body: noBody,
      rate: limits.actions,
      async handle({ id, principal }) {
        const found = orProblem(await dismissLetter(gateway, { principal, letterId: id }));
        gateway.log.info({ letterId: id, by: found.dismissal?.by }, "a dead letter is dismissed");
        return letterView(found, await whyNotReplayed(state, found));
      },
    }),
  ];
}

const PAGE = declared("DeadLetterPage", DeadLetterPage);
const VIEW = declared("DeadLetter", DeadLetterView);

const LETTER = "dl_05_01JD0000000000000000000001";
const letterId: NonNullable<RouteDocs["id"]> = { says: "The dead letter.", pattern: ID_PATTERNS.deadLetter, example: LETTER };
const AT = 1_763_718_400_000;

const summary: JsonObject = {
  id: LETTER,
  queue: "approval.request",
  state: "open",
  reason: "the body breaks its schema: /toolHash is required",
  deliveries: 1,
  messageId: `request:${examples.callId}#1`,
  messageType: "toolbus.approval.request",
  runId: examples.runId,
  callId: examples.callId,
  keptAt: AT,
  expiresAt: AT + 30 * 86_400_000,
  links: {
    self: `/v1/dead-letters/${LETTER}`,
    replay: `/v1/dead-letters/${LETTER}/replay`,
    dismiss: `/v1/dead-letters/${LETTER}/dismiss`,
  },
};

const open: JsonObject = {
  ...summary,
  history: [],
  message: {
    id: `request:${examples.callId}#1`,
    topic: "approval.request",
    type: "toolbus.approval.request",
    source: "/agents/default",
    time: "2025-11-21T09:46:40.000Z",
    correlationId: examples.callId,
    attributes: { "toolbus-agent": "default" },
    body: `{"toolCallId":"${examples.callId}","toolName":"file_risk_report"}`,
  },
  cut: false,
  replayBy: "publish",
};

const dismissed: JsonObject = { ...open, state: "dismissed", dismissed: { by: "otto", at: AT + 60_000 } };

const replaying: JsonObject = { ...open, state: "replaying", replay: { by: "otto", askedAt: AT + 60_000 } };

const replayed: JsonObject = {
  ...open,
  state: "replayed",
  replay: { by: "otto", askedAt: AT + 60_000, at: AT + 60_040, messageId: `request:${examples.callId}#1#replay1` },
};
