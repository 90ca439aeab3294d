import { type Call, isRunEnd, type Json, keys, type Run, type RunEnd, type RunEvent } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames, readCarrier, recordToolCall } from "@toolbus/telemetry";
import { LOOP } from "./transitions/end.ts";

/**
 * Reports a commit to metrics, log and audit: the runs that began or ended, and every call that received its result. The result may come from a
 * worker, a person, a limit or a cancel. Calls that were never sent are included.
 */
export function observeRun(
  change: Change,
  now: number,
  { provider, log }: { readonly provider: (profile: string) => string; readonly log: Log },
): void {
  for (const event of eventsOf(change)) {
    if (event.type === "run.started") {
      measure(metricNames.runsStarted, 1, { [attributeNames.profile]: event.profile });
      log.info(aboutRun(runIn(change)), "a run began");
    } else if (isRunEnd(event)) {
      const status = { [attributeNames.status]: event.type.slice("run.".length) };
      measure(metricNames.runsEnded, 1, { ...status, ...(event.type === "run.failed" ? { [attributeNames.errorType]: event.code } : {}) });
      if (event.type === "run.failed" && event.code === LOOP) logLoop(runIn(change), event.message, log);
      else logEnd(runIn(change), event, log);
      const run = runIn(change);
      // The run names its next round, so one less has been completed. Round 0 has no model call and does not count.
      if (run) measure(metricNames.runRounds, Math.max(0, run.round - 1), { ...status, [attributeNames.profile]: run.profile });
      const { costMicroUsd } = event.usage;
      if (costMicroUsd !== undefined)
        measure(metricNames.runCost, costMicroUsd / 1_000_000, { ...status, [attributeNames.profile]: run?.profile ?? "" });
    } else if (event.type === "model.retry") {
      const profile = runIn(change)?.profile ?? "";
      measure(metricNames.modelRetries, 1, { [attributeNames.provider]: provider(profile), [attributeNames.errorType]: event.code });
    } else if (event.type === "call.resolved") {
      const call = documentOf<Call>(change, keys.call(event.callId));
      const run = call && documentOf<Run>(change, keys.run(call.runId));
      if (call) recordToolCall(recordOf(call, event.latencyMs, run, provider, now), log);
    }
  }
}

/** Returns the fields that the log lines for the start and the end of a run share. */
function aboutRun(run: Run | null): object {
  const { runId, conversationId, profile } = run ?? {};
  return { runId, conversationId, profile };
}

/** Logs one line for the end of a run, with what the run did. The line of a failure also has its code and message. */
function logEnd(run: Run | null, end: RunEnd, log: Log): void {
  const tookMs = run?.startedAt ? end.at - run.startedAt : undefined;
  const { happened, unknown } = end.writes ?? {};
  const did = {
    rounds: run?.round,
    toolCalls: end.usage.toolCalls,
    ...(happened ? { writes: happened } : {}),
    ...(unknown ? { unknownWrites: unknown } : {}),
  };
  const about = { ...aboutRun(run), status: end.type.slice("run.".length), tookMs, ...did };
  if (end.type === "run.failed") log.warn({ ...about, code: end.code, why: end.message }, "a run failed");
  else log.info(end.type === "run.cancelled" ? { ...about, by: end.by } : about, "a run ended");
}

/**
 * Logs that a run was stopped because it made no progress. An operator should check the run's prompt, tools and model, although nothing is broken.
 */
function logLoop(run: Run | null, why: string, log: Log): void {
  const { runId, conversationId, profile, round } = run ?? {};
  log.warn({ runId, conversationId, profile, round, why }, "a run went round in circles and was stopped");
}

function recordOf(call: Call, latencyMs: number, run: Run | null, provider: (profile: string) => string, now: number) {
  const { runId, conversationId, callId, round, toolName, toolVersion, toolHash, kind, argsHash, result } = call;
  return {
    runId,
    conversationId,
    callId,
    round,
    tool: toolName,
    toolVersion,
    // An unregistered tool has no kind.
    kind: toolHash === "" ? "unknown" : kind,
    status: result?.status ?? "error",
    code: result?.error?.code,
    latencyMs,
    argsHash,
    // The calls of round 0 come from the profile, not from a model.
    provider: round === 0 ? "toolbus" : provider(run?.profile ?? ""),
    traceId: readCarrier({ traceparent: run?.traceparent })?.traceId ?? null,
    model: result?.metadata?.model,
    at: now,
  };
}

function eventsOf(change: Change): readonly RunEvent[] {
  return (change.append ?? []).flatMap(({ log, entries }) => (log.startsWith("tb:events:") ? (entries as unknown as RunEvent[]) : []));
}

/** Returns the run that a commit of the agent is about, else null. */
function runIn(change: Change): Run | null {
  return ownDocument<Run>(change.put?.find(({ key }) => key.startsWith("tb:run:")));
}

/** Returns the value that a commit puts under this key, else null. */
function documentOf<T>(change: Change, key: string): T | null {
  return ownDocument<T>(change.put?.find((put) => put.key === key));
}

/** The agent made the change itself, so its documents have their types and are not checked again. */
function ownDocument<T>(put: { readonly value: Json } | undefined): T | null {
  return put === undefined ? null : (put.value as unknown as T);
}
