import { isRunEnd, keys, type RunEvent } from "@toolbus/contracts";
import { isDeepStrictEqual } from "node:util";
import type { Observation } from "../ports/observation.ts";
import type { Facts } from "./facts.ts";

/** Checks the guarantee G7: a viewer of a run receives every committed event once, in order, across every interruption. */
export function brokenByShown({ logs, reported }: Facts, { runId, id, data }: Extract<Observation, { kind: "told" }>): readonly string[] {
  const count = reported.get(runId) ?? 0;
  if (id !== `${runId}:${count}`) return [`G7: the viewer of ${runId} received ${id}, and ${runId}:${count} was next`];
  const committed = logs.get(keys.events(runId))?.[count - 1];
  return committed !== undefined && isDeepStrictEqual(JSON.parse(data), { sequence: count, ...(committed as object) })
    ? []
    : [`G7: the viewer of ${runId} received something else than was committed as ${id}`];
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
