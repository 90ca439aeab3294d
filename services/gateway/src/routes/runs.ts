import { answerRequest, questionAnswerRequest, runsQuery } from "@toolbus/contracts";
import { getRoute, noBody, noQuery, postRoute, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { answerQuestion } from "../inbound/answer-question.ts";
import { answerTool } from "../inbound/answer-tool.ts";
import { cancelRun } from "../inbound/cancel-run.ts";
import { orProblem } from "../refused.ts";
import { ownRun } from "../run-access.ts";
import { listedFor, runPage } from "../run-page.ts";
import { viewRun } from "../run-view.ts";
import { CALLERS } from "./callers.ts";
import { examples, recorded, REPLAY, runId, views } from "./documented.ts";
import type { Limits } from "./limits.ts";

const TAG = "Runs";
const RUNS = 20;

export function runRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  const { state } = gateway;
  return [
    getRoute({
      url: "/v1/runs",
      access: CALLERS,
      docs: {
        operationId: "listRuns",
        tag: TAG,
        summary: "Lists the caller's own runs, newest first.",
        description:
          "An operator may ask for the runs of a `requester`. `status`, `outcome`, `profile` and `since` filter the runs. A page may have fewer runs than its limit and not be the last.",
        answers: { 200: { says: "A page of runs.", body: views.runs, example: recorded.runs } },
        problems: ["invalid_cursor"],
      },
      query: runsQuery,
      handle: async ({ principal, query: { limit = RUNS, requester, ...wanted } }) =>
        runPage(state, orProblem(listedFor(principal, requester)), { limit, ...wanted }),
    }),
    getRoute({
      url: "/v1/runs/:id",
      access: CALLERS,
      docs: {
        operationId: "getRun",
        tag: TAG,
        summary: "Shows a run: its state, and what it waits for.",
        description:
          "`awaiting` lists the approvals and the questions that people have to answer. `waits` lists everything that the run waits for, with one sentence for each.",
        id: runId,
        answers: { 200: { says: "The run.", body: views.run, example: recorded.waitingRun } },
        problems: ["expired"],
      },
      query: noQuery,
      handle: async ({ id, principal }) => viewRun(state, await ownRun(state, id, principal)),
    }),
    postRoute({
      url: "/v1/runs/:id/cancel",
      access: CALLERS,
      docs: {
        operationId: "cancelRun",
        tag: TAG,
        summary: "Cancels a run.",
        description:
          "From now on, the run begins nothing new, but it waits for writes that were sent to their target. An operator may cancel any run of the tenant.",
        id: runId,
        answers: {
          200: { says: "The run was cancelled before.", body: views.run, example: recorded.cancelledRun },
          202: { says: "The request was accepted.", body: views.run, example: recorded.waitingRun, headers: REPLAY },
        },
        problems: ["run_ended", "conflict", "expired"],
      },
      body: noBody,
      rate: limits.actions,
      async handle({ id, principal, key, reply }) {
        const { run, over, replayed } = orProblem(await cancelRun(gateway, { principal, key, runId: id }));
        if (replayed) reply.header("idempotent-replay", "true");
        reply.code(over ? 200 : 202);
        return viewRun(state, run);
      },
    }),
    postRoute({
      url: "/v1/runs/:id/answers",
      access: CALLERS,
      docs: {
        operationId: "answerQuestion",
        tag: TAG,
        summary: "Answers a question that a run asks.",
        description: "Only the principal who started the run may answer, and a question has one answer.",
        id: runId,
        answers: { 202: { says: "The request was accepted.", body: views.run, example: recorded.askingRun, headers: REPLAY } },
        problems: ["not_asked", "run_ended", "conflict", "idempotency_key_reused", "expired"],
      },
      body: {
        declared: answerRequest,
        required: true,
        examples: [{ callId: examples.callId, text: "v1.4.0" }],
        remedy: 'Send {"callId": "…", "text": "…"} with a callId that the run awaits.',
      },
      rate: limits.actions,
      async handle({ id, principal, key, body, reply }) {
        const { run, replayed } = orProblem(await answerQuestion(gateway, { principal, key, runId: id, body }));
        if (replayed) reply.header("idempotent-replay", "true");
        reply.code(202);
        return viewRun(state, run);
      },
    }),
    postRoute({
      url: "/v1/runs/:id/question-answers",
      access: CALLERS,
      docs: {
        operationId: "answerToolQuestion",
        tag: TAG,
        summary: "Answers a question that a tool asks while it runs.",
        description:
          "Only the principal who started the run may answer, and a question has one answer. `content` must fit the question's `form`. The question and its form are the words of the tool, such as one of an MCP server. Do not answer with secrets.",
        id: runId,
        answers: { 202: { says: "The answer was accepted.", body: views.run, example: recorded.toolAskingRun, headers: REPLAY } },
        problems: ["not_asked", "run_ended", "conflict", "idempotency_key_reused", "expired"],
      },
      body: {
        declared: questionAnswerRequest,
        required: true,
        examples: [{ callId: examples.callId, questionId: `q_${"0".repeat(32)}`, action: "accept", content: { name: "Una" } }],
        remedy: 'Send {"callId": "…", "questionId": "…", "action": "accept", "content": {…}} with a question that the run awaits.',
      },
      rate: limits.actions,
      async handle({ id, principal, key, body, reply }) {
        const { run, replayed } = orProblem(await answerTool(gateway, { principal, key, runId: id, body }));
        if (replayed) reply.header("idempotent-replay", "true");
        reply.code(202);
        return viewRun(state, run);
      },
    }),
  ];
}
