import { keys, type NumberedRunEvent, type RunEvent, type RunHistory } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Read at once, and what a page may hold beyond its bytes. */
const READ = 16;
/** From then on the next page has the rest: each event is bounded, their number is the caller's. */
const PAGE_BYTES = 1_048_576;

/** The durable events of a run after this one, up to the end that its log has now. A page may hold fewer than its limit and still have one after it. */
export async function runHistory(
  state: Pick<StateStore, "range">,
  runId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RunHistory> {
  const events: NumberedRunEvent[] = [];
  let last = after;
  for (let bytes = 0; events.length < limit && bytes < PAGE_BYTES;) {
    const read = Math.min(READ, limit - events.length);
    const entries = await state.range(keys.events(runId), { after: last, limit: read });
    for (const { sequence, value } of entries) {
      events.push({ sequence, ...(value as unknown as RunEvent) });
      bytes += JSON.stringify(value).length;
      last = sequence;
    }
    if (entries.length < read) return { runId, events };
  }
  const more = await state.range(keys.events(runId), { after: last, limit: 1 });
  return { runId, events, ...(more.length > 0 ? { next: last } : {}) };
}

/** Where in the log an event stands. After one that never happened, a client would wait for events that it then misses. */
export async function placeOf(state: Pick<StateStore, "range">, runId: string, sequence: number): Promise<"last" | "earlier" | "nowhere"> {
  const entries = await state.range(keys.events(runId), { after: Math.max(0, sequence - 1), limit: sequence === 0 ? 1 : 2 });
  if (sequence > 0 && entries[0]?.sequence !== sequence) return "nowhere";
  return entries.length > (sequence === 0 ? 0 : 1) ? "earlier" : "last";
}
