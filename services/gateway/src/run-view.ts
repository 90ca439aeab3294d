import type { JsonObject } from "@toolbus/contracts";
import type { OwnRun } from "./run-access.ts";

/** A run as HTTP shows it. `accepted` until the agent has taken it. */
export function runView({ runId, origin, run }: OwnRun): JsonObject {
  const links = { self: `/v1/runs/${runId}`, events: `/v1/runs/${runId}/events`, cancel: `/v1/runs/${runId}/cancel` };
  const base = { runId, conversationId: origin.conversationId, requester: origin.principal, createdAt: origin.createdAt, links };
  if (!run) return { ...base, status: "accepted" };
  return {
    ...base,
    status: run.cancel && run.endedAt === null ? "cancelling" : run.status,
    profile: run.profile,
    input: run.input,
    round: run.round,
    usage: run.usage,
    activeMs: run.activeMs,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    openCalls: run.calls.filter((call) => !call.resolved).map((call) => call.callId),
    answer: run.ending?.text ?? null,
    ...(run.ending?.code === undefined ? {} : { code: run.ending.code }),
    report: run.report,
  };
}
