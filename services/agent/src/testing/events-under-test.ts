import { describeProblems, keys, NumberedRunEvent, parser, type RunEvent } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

const parse = parser(NumberedRunEvent);

/** Returns the durable events of a run so far. Throws for an event that the schema for clients does not describe. */
export async function eventsOf(state: Pick<StateStore, "range">, runId: string): Promise<RunEvent[]> {
  const entries = await state.range(keys.events(runId), { after: 0, limit: 1000 });
  return entries.map(({ sequence, value }) => {
    const parsed = parse({ sequence, ...(value as object) });
    if (!parsed.ok)
      throw new Error(`The API's description has no such event: ${describeProblems(parsed.problems)} ${JSON.stringify(value)}`);
    const { sequence: _, ...event } = parsed.value;
    return event;
  });
}
