import { investigationRequest } from "@toolbus/contracts";
import { getRoute, noQuery, postRoute, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { startInvestigation } from "../inbound/start-investigation.ts";
import { ownRun } from "../run-access.ts";
import { viewRun } from "../run-view.ts";
import { CALLERS } from "./callers.ts";
import { recorded, runId, STARTED, views } from "./documented.ts";
import { STREAM } from "./event-docs.ts";
import type { Limits } from "./limits.ts";
import { answerWithRun } from "./started-run.ts";

const TAG = "Investigations";

export function investigationRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  return [
    postRoute({
      url: "/v1/investigations",
      access: CALLERS,
      docs: {
        operationId: "startInvestigation",
        tag: TAG,
        summary: "Starts the investigation of a release or of an alert.",
        description: [
          "Give a `releaseId`, the facts of its change as `changes`, or both, or give an `alert`. With `changes`, `measurements` may have test results and deployment metrics. An alert has the form in which Alertmanager sends each of its `alerts`. The run has its own conversation and produces a report.",
          "If `Accept` asks for `text/event-stream`, the answer is the stream of the run.",
        ].join("\n\n"),
        answers: {
          200: { says: "The stream of the run, if requested.", headers: STARTED, ...STREAM },
          202: { says: "The request was accepted.", body: views.run, example: recorded.acceptedRun, headers: STARTED },
        },
        problems: ["conflict", "idempotency_key_reused", "rate_limited"],
      },
      body: {
        declared: investigationRequest,
        required: true,
        examples: [
          { releaseId: "v1.4.0", note: "Look at the payments." },
          {
            alert: {
              labels: { alertname: "HighErrorRate", service: "checkout", severity: "page" },
              annotations: { summary: "5 % of checkouts fail" },
              status: "firing",
              startsAt: "2026-11-21T09:00:00Z",
            },
          },
        ],
        remedy: 'Send {"releaseId": "…"} or {"alert": {…}}, optionally with "note".',
      },
      rate: limits.runs,
      async handle({ principal, key, body, request, reply }) {
        const asked = { principal, key, body };
        return answerWithRun(gateway, { principal, request, reply }, (traceparent) =>
          startInvestigation(gateway, { ...asked, traceparent }),
        );
      },
    }),
    getRoute({
      url: "/v1/investigations/:id",
      access: CALLERS,
      docs: {
        operationId: "getInvestigation",
        tag: TAG,
        summary: "Shows an investigation, which is a run.",
        id: runId,
        answers: { 200: { says: "The run, with the report so far.", body: views.run, example: recorded.completedRun } },
        problems: ["expired"],
      },
      query: noQuery,
      handle: async ({ id, principal }) => viewRun(gateway.state, await ownRun(gateway.state, id, principal)),
    }),
  ];
}
