import { type Call, isRunEnd, type Json, keys, type Parsed, parseCall, parseRun, type Run, type RunEvent } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames, readCarrier, recordToolCall } from "@toolbus/telemetry";

/**
 * Tells metrics, log and audit of what a commit made true: runs that began or ended, and every call that has its result, whoever gave it: the worker,
 * a person, a limit or a cancel. Calls that were never sent are among them.
 */
export function observeRun(
  change: Change,
  now: number,
  { provider, log }: { readonly provider: (profile: string) => string; readonly log: Log },
): void {
  for (const event of eventsOf(change)) {
    if (event.type === "run.started") measure(metricNames.runsStarted, 1, { [attributeNames.profile]: event.profile });
    else if (isRunEnd(event)) {
      const status = { [attributeNames.status]: event.type.slice("run.".length) };
      measure(metricNames.runsEnded, 1, status);
      const { costMicroUsd } = event.usage;
      if (costMicroUsd !== undefined)
        measure(metricNames.runCost, costMicroUsd / 1_000_000, { ...status, [attributeNames.profile]: runIn(change)?.profile ?? "" });
    } else if (event.type === "model.retry") {
      const profile = runIn(change)?.profile ?? "";
      measure(metricNames.modelRetries, 1, { [attributeNames.provider]: provider(profile), [attributeNames.errorType]: event.code });
    } else if (event.type === "call.resolved") {
      const call = documentOf(change, keys.call(event.callId), parseCall);
      const run = call && documentOf(change, keys.run(call.runId), parseRun);
      if (call) recordToolCall(recordOf(call, event.latencyMs, run, provider, now), log);
    }
  }
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
    // What is not registered has no kind.
    kind: toolHash === "" ? "unknown" : kind,
    status: result?.status ?? "error",
    latencyMs,
    argsHash,
    // Round 0 is the profile's own.
    provider: round === 0 ? "toolbus" : provider(run?.profile ?? ""),
    traceId: readCarrier({ traceparent: run?.traceparent })?.traceId ?? null,
    at: now,
  };
}

function eventsOf(change: Change): readonly RunEvent[] {
  return (change.append ?? []).flatMap(({ log, entries }) => (log.startsWith("tb:events:") ? (entries as unknown as RunEvent[]) : []));
}

/** The run that a commit of the agent is about. */
function runIn(change: Change): Run | null {
  const document = change.put?.find(({ key }) => key.startsWith("tb:run:"));
  const parsed = document && parseRun(document.value);
  return parsed?.ok ? parsed.value : null;
}

/** What a commit put under this key, if it put anything there. */
function documentOf<T>(change: Change, key: string, parse: (value: Json) => Parsed<T>): T | null {
  const document = change.put?.find((put) => put.key === key);
  const parsed = document && parse(document.value);
  return parsed?.ok ? parsed.value : null;
}
