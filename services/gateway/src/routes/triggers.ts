import { alertmanagerMessage, AlertTriggerView, declared, releaseTrigger, ReleaseTriggerView } from "@toolbus/contracts";
import { HttpProblem, postRoute, type Route } from "@toolbus/runtime";
import { attributeNames, currentTraceparent, spanNames, withSpan } from "@toolbus/telemetry";
import type { Gateway } from "../gateway.ts";
import { type AlertOutcome, MOST_STARTED, startAlerts } from "../inbound/start-alerts.ts";
import { startRelease } from "../inbound/start-release.ts";
import { isRefused, orProblem } from "../refused.ts";
import { ownRun } from "../run-access.ts";
import { examples, REPLAY } from "./documented.ts";
import type { Limits } from "./limits.ts";

const TAG = "Triggers";

export function triggerRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  return [
    postRoute({
      url: "/v1/triggers/alertmanager",
      access: ["alertmanager"],
      docs: {
        operationId: "triggerByAlerts",
        tag: TAG,
        summary: "Starts an investigation of each alert that fires, from the webhook of an Alertmanager.",
        description: [
          "The body is Alertmanager's own, version 4. The gateway ignores unknown fields. An alert has one run for its `groupKey`, its `fingerprint` and its `startsAt`. If Alertmanager sends an alert again, because it still fires or because an answer was lost, the alert is `repeated` and starts nothing. A resolved alert starts nothing.",
          `One message starts ${MOST_STARTED} runs at most. If there is no room for all, the answer is 503 \`incomplete\` and not 429, because Alertmanager sends a message again only after 5xx. Runs that were started continue, and the same message starts the rest.`,
        ].join("\n\n"),
        headers: { "Idempotency-Key": "This header is not read, because the alerts themselves identify the runs." },
        answers: {
          202: {
            says: "The outcome for each alert, in the order of the message.",
            body: declared("AlertTrigger", AlertTriggerView),
            example: examples.alertTrigger,
          },
        },
        problems: ["incomplete"],
      },
      body: {
        declared: alertmanagerMessage,
        required: true,
        examples: [examples.alertmanagerMessage],
        remedy: "Have Alertmanager send its own body, version 4: a webhook_config without a custom payload.",
      },
      // The rate limit applies to started runs, not to requests. If it is reached, the answer is 503. Only too many wrong keys get 429.
      rate: null,
      async handle({ principal, body, reply }) {
        const outcomes = await startAlerts(gateway, { principal, message: body, rate: limits.runs });
        const { truncatedAlerts: truncated = 0, groupKey } = body;
        if (truncated > 0)
          gateway.log.warn({ truncated, groupKey }, "Alertmanager left out alerts over its max_alerts: they start nothing");
        answerTheRest(outcomes);
        reply.code(202);
        return { alerts: body.alerts.map(({ fingerprint }, n) => ({ fingerprint, ...shown(outcomes[n]) })), truncated };
      },
    }),
    postRoute({
      url: "/v1/triggers/release",
      access: ["releaser"],
      docs: {
        operationId: "triggerByRelease",
        tag: TAG,
        summary: "Starts the investigation of a release, for a deployment system.",
        description:
          "A release has one run. A repeat, even with another note, is `repeated` and starts nothing. With an `Idempotency-Key`, such as the id of a rollout, a release has one run for each key instead.",
        answers: {
          202: {
            says: "The run of the release was started, now or earlier.",
            body: declared("ReleaseTriggerAnswer", ReleaseTriggerView),
            example: examples.releaseTrigger,
            headers: REPLAY,
          },
        },
        problems: ["conflict", "idempotency_key_reused", "rate_limited"],
      },
      body: {
        declared: releaseTrigger,
        required: true,
        examples: [{ releaseId: "v1.4.0", note: "Rolled out to a tenth of the customers." }],
        remedy: 'Send {"releaseId": "…"}, optionally with "note".',
      },
      rate: limits.runs,
      handle: async ({ principal, key, body, reply }) =>
        withSpan(spanNames.conversation, {}, async (span) => {
          const asked = { principal, key, body, traceparent: currentTraceparent() };
          const { runId, replayed, begun } = orProblem(await startRelease(gateway, asked));
          const { origin } = begun ?? (await ownRun(gateway.state, runId, principal));
          span.set({ [attributeNames.conversationId]: origin.conversationId, [attributeNames.runId]: runId });
          if (replayed) reply.header("idempotent-replay", "true");
          reply.code(202);
          return { releaseId: body.releaseId, outcome: replayed ? "repeated" : "started", runId };
        }),
    }),
  ];
}

/**
 * Throws the problem that makes Alertmanager send the message again, if some alerts wait for room. Otherwise throws the problem that names the alerts
 * that can never be investigated. All other firing alerts have their runs.
 */
function answerTheRest(outcomes: readonly AlertOutcome[]): void {
  const left = outcomes.flatMap((outcome, n) => {
    if (outcome.kind !== "waits" && outcome.kind !== "refused") return [];
    return [{ outcome, error: { path: `/alerts/${n}`, message: outcome.kind === "waits" ? "waits for room" : outcome.detail } }];
  });
  if (left.length === 0) return;
  // Alertmanager logs the whole answer.
  const errors = left.slice(0, SHOWN).map(({ error }) => error);
  const began = outcomes.filter(({ kind }) => kind === "started" || kind === "repeated").length;
  const counts = `${began} of the ${outcomes.length} alerts have their runs, and ${left.length}`;
  const waiting = left.map(({ outcome }) => outcome).find((outcome) => outcome.kind === "waits");
  if (waiting)
    throw new HttpProblem(
      "incomplete",
      `${counts} ${left.length === 1 ? "has" : "have"} none: ${waiting.says}`,
      { remedy: "Send the same message again: no run is started twice.", errors },
      { "retry-after": String(waiting.retryAfterS) },
    );
  const refused = left.map(({ outcome }) => outcome).find(isRefused);
  if (refused)
    throw new HttpProblem(refused.code, `${counts} cannot be investigated: ${refused.detail}`, { remedy: refused.remedy, errors });
}

function shown(outcome: AlertOutcome | undefined) {
  if (outcome?.kind === "started" || outcome?.kind === "repeated") return { outcome: outcome.kind, runId: outcome.runId };
  return { outcome: "ignored", reason: "resolved" };
}

const SHOWN = 8;
