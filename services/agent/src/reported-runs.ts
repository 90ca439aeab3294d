import { type EndedRun, isRunEnd, keys, parseRun, rootRunId, type RunEvent, runView, whatWasWritten } from "@toolbus/contracts";
import { endedCalls, type ReportedEvent, type WebhookContent } from "@toolbus/runtime";
import type { Change, StateStore } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";
import type { Origins } from "./origins.ts";

type Store = Pick<StateStore, "read" | "range">;

/** Returns the runs that a commit ends and that webhooks report. A sub-run is part of its root's work, so it is reported with its root. */
export function endedRunsIn(change: Change): readonly ReportedEvent[] {
  return (change.append ?? []).flatMap(({ log, entries }) => {
    const subject = log.startsWith(EVENTS) ? (log.split(":")[3] ?? "") : "";
    if (subject === "" || rootRunId(subject) !== subject) return [];
    const end = (entries as unknown as readonly RunEvent[]).find(isRunEnd);
    return end ? [{ event: "run.ended", subject, at: end.at, dueIn: 0 } as const] : [];
  });
}

/** Returns the content that a webhook target receives about an ended run. Returns null if the run or its requester is no longer known. */
export async function contentOfRun(state: Store, origins: Origins, runId: string): Promise<WebhookContent | null> {
  const { documents } = await state.read([keys.run(runId)]);
  const run = parseRun(documents[0]?.value);
  const origin = await origins.of(runId);
  if (!run.ok || run.value.endedAt === null || !origin) return null;
  const data: EndedRun = {
    run: runView({ runId, origin, run: run.value }, []),
    written: run.value.writes ? whatWasWritten(run.value.writes) : null,
    calls: await endedCalls(state, runId),
  };
  // The target may belong to anybody, so everything that looks like a credential is redacted.
  return { tenant: origin.tenant, data: redacted<EndedRun>(data) };
}

const EVENTS = "tb:events:";
