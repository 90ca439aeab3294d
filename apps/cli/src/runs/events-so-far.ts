import type { NumberedRunEvent, RunHistory } from "@toolbus/contracts";
import { readHistory } from "../http/answers.ts";
import type { Client } from "../http/client.ts";

/** Returns the durable events of a run up to now, in their order. */
export async function eventsSoFar(gateway: Client, runId: string): Promise<NumberedRunEvent[]> {
  const events: NumberedRunEvent[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: RunHistory = readHistory(await gateway.get(`/v1/runs/${runId}/history?after=${after}`));
    events.push(...page.events);
    after = page.next;
  }
  return events;
}
