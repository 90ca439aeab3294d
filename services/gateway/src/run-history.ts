import { keys, type NumberedRunEvent, type RunHistory } from "@toolbus/contracts";
import { wholeEvents } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";

/** The number of events per read. A page may exceed PAGE_BYTES by the size of one read. */
const READ = 16;
/** The size at which a page ends. Each event has a limited size, but the caller chooses the number of events. */
const PAGE_BYTES = 1_048_576;

/**
 * Returns the durable events of a run after the sequence `after`, up to the current end of the run's log. A page with fewer events than its limit may
 * not be the last.
 */
export async function runHistory(
  state: Pick<StateStore, "range">,
  { runId, conversationId }: { readonly runId: string; readonly conversationId: string },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RunHistory> {
  const events: NumberedRunEvent[] = [];
  let last = after;
  for (let bytes = 0; events.length < limit && bytes < PAGE_BYTES;) {
    const read = Math.min(READ, limit - events.length);
    const entries = await state.range(keys.events(runId), { after: last, limit: read });
    const whole = await wholeEvents(state, conversationId, entries);
    for (const [n, event] of whole.entries()) {
      last = entries[n]?.sequence ?? last;
      events.push({ sequence: last, ...event });
      bytes += JSON.stringify(event).length;
    }
    if (entries.length < read) return { runId, events };
  }
  const more = await state.range(keys.events(runId), { after: last, limit: 1 });
  return { runId, events, ...(more.length > 0 ? { next: last } : {}) };
}

/** Returns an event's position in the log. A client that starts after an event that never happened would miss events. */
export async function placeOf(state: Pick<StateStore, "range">, runId: string, sequence: number): Promise<"last" | "earlier" | "nowhere"> {
  const entries = await state.range(keys.events(runId), { after: Math.max(0, sequence - 1), limit: sequence === 0 ? 1 : 2 });
  if (sequence > 0 && entries[0]?.sequence !== sequence) return "nowhere";
  return entries.length > (sequence === 0 ? 0 : 1) ? "earlier" : "last";
}
