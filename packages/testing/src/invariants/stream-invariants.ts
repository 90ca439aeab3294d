import { EVENT_CONTENT_CHARS, isRunEnd, keys, type Run, type RunEvent, type StoredEntry, type StoredRunEvent } from "@toolbus/contracts";
import { redacted } from "@toolbus/telemetry";
import { isDeepStrictEqual } from "node:util";
import type { Observation } from "../ports/observation.ts";
import type { Facts } from "./facts.ts";

/** Checks the guarantee G7: a viewer of a run receives every committed event once, in order, across every interruption. */
export function brokenByShown(facts: Facts, { runId, id, data }: Extract<Observation, { kind: "told" }>): readonly string[] {
  const { logs, reported } = facts;
  const count = reported.get(runId) ?? 0;
  if (id !== `${runId}:${count}`) return [`G7: the viewer of ${runId} received ${id}, and ${runId}:${count} was next`];
  const committed = logs.get(keys.events(runId))?.[count - 1] as StoredRunEvent | undefined;
  return committed !== undefined && isDeepStrictEqual(JSON.parse(data), { sequence: count, ...asSent(facts, runId, committed) })
    ? []
    : [`G7: the viewer of ${runId} received something else than was committed as ${id}`];
}

/** Returns the event as a viewer must receive it. If the event names an entry of the transcript, that entry has its content. */
function asSent({ documents, logs }: Facts, runId: string, { entry, ...event }: StoredRunEvent): object {
  if (entry === undefined || event.type !== "call.resolved") return event;
  const { conversationId } = documents.get(keys.run(runId)) as unknown as Run;
  const named = logs.get(keys.transcript(conversationId))?.[entry - 1] as StoredEntry | undefined;
  const isIts = named?.type === "result" && named.callId === event.callId;
  return {
    ...event,
    content: isIts ? redacted(named.content.slice(0, EVENT_CONTENT_CHARS)) : `entry ${entry} is not the result of ${event.callId}`,
  };
}

/** Returns the viewers who did not receive every event of a finished run. */
export function unreported({ logs, reported }: Facts): readonly string[] {
  return [...reported].flatMap(([runId, count]) => {
    const events = (logs.get(keys.events(runId)) ?? []) as unknown as readonly RunEvent[];
    const due = events.findIndex(isRunEnd) + 1;
    return count >= due
      ? []
      : [`G7: the viewer of ${runId} received ${count} of ${due} events, although the viewer reconnected until the end`];
  });
}
