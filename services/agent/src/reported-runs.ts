import { type EndedRun, isRunEnd, keys, parseRun, rootRunId, type RunEvent, runView, whatWasWritten } from "@toolbus/contracts";
import { endedCalls, type ReportedEvent, type WebhookContent } from "@toolbus/runtime";
import type { Change, StateStore } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";
import type { Origins } from "./origins.ts";

type Store = Pick<StateStore, "read" | "range">;

/** The runs that a commit ends and that webhooks report. A sub-run is part of its root's work and is reported with it. */
export function endedRunsIn(change: Change): readonly ReportedEvent[] {
  return (change.append ?? []).flatMap(({ log, entries }) => {
    const subject = log.startsWith(EVENTS) ? (log.split(":")[3] ?? "") : "";
    if (subject === "" || rootRunId(subject) !== subject) return [];
    const end = (entries as unknown as readonly RunEvent[]).find(isRunEnd);
    return end ? [{ event: "run.ended", subject, at: end.at, dueIn: 0 } as const] : [];
  });
}

/** What a webhook target gets about a run that has ended. Null if nobody can tell any more who asked for it, or if it is no longer kept. */
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
  // The target may be anybody: anything that looks like a credential stays here.
  return { tenant: origin.tenant, data: redacted<EndedRun>(data) };
}

const EVENTS = "tb:events:";
