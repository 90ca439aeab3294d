import { type EndedCall, endedCall, keys, parseCall, type RunEvent, writesFirst } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/**
 * Returns every call of a run that has ended. Writes that happened come first, then writes that may have happened, then all others. Within each group
 * the calls are in the order in which they ended.
 */
export async function endedCalls(state: Pick<StateStore, "read" | "range">, runId: string): Promise<EndedCall[]> {
  const { resolved, shown } = await eventsOf(state, runId);
  const calls: EndedCall[] = [];
  for (let from = 0; from < resolved.length; from += CALLS_READ) {
    const some = resolved.slice(from, from + CALLS_READ);
    const { documents } = await state.read(some.map(({ callId }) => keys.call(callId)));
    for (const [n, event] of some.entries()) {
      const call = parseCall(documents[n]?.value);
      calls.push(endedCall(event, call.ok ? call.value : null, shown.get(event.callId)));
    }
  }
  return writesFirst(calls);
}

type Resolved = Extract<RunEvent, { readonly type: "call.resolved" }>;

/** Returns the calls of a run in the order in which they ended, and the effects that the approvers saw last. */
async function eventsOf(
  state: Pick<StateStore, "range">,
  runId: string,
): Promise<{ resolved: readonly Resolved[]; shown: ReadonlyMap<string, string> }> {
  const resolved: Resolved[] = [];
  const shown = new Map<string, string>();
  for (let after = 0; ;) {
    const entries = await state.range(keys.events(runId), { after, limit: EVENTS_READ });
    for (const { value, sequence } of entries) {
      const event = value as unknown as RunEvent;
      if (event.type === "call.resolved") resolved.push(event);
      if (event.type === "call.held") shown.set(event.callId, event.effect);
      if (event.type === "call.decided" && event.effect !== undefined) shown.set(event.callId, event.effect);
      after = sequence;
    }
    if (entries.length < EVENTS_READ) return { resolved, shown };
  }
}

const EVENTS_READ = 500;
const CALLS_READ = 100;
