import { describeProblems, keys, NumberedRunEvent, parser, type Run, type RunEvent } from "@toolbus/contracts";
import { wholeEvents } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";

const parse = parser(NumberedRunEvent);

/** Returns the durable events of a run so far, as the gateway sends them. Throws for an event that the schema for clients does not describe. */
export async function eventsOf(state: Pick<StateStore, "range" | "read">, runId: string): Promise<RunEvent[]> {
  const entries = await state.range(keys.events(runId), { after: 0, limit: 1000 });
  const { documents } = await state.read([keys.run(runId)]);
  const run = documents[0]?.value as unknown as Run | undefined;
  return (await wholeEvents(state, run?.conversationId ?? "", entries)).map((whole, n) => {
    const parsed = parse({ sequence: entries[n]?.sequence, ...whole });
    if (!parsed.ok)
      throw new Error(`The API's description has no such event: ${describeProblems(parsed.problems)} ${JSON.stringify(whole)}`);
    const { sequence: _, ...event } = parsed.value;
    return event;
  });
}
