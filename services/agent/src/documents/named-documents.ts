import { keys, type Run } from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";

/** The documents that a run names. They are read together with the run. */
export interface NamedDocuments {
  readonly conversationId: string;
  readonly callIds: readonly string[];
}

/** The names of documents in runs, as this process last read them. They only say what to request first, so the reader checks them. */
export interface Names {
  of(runId: string): NamedDocuments | undefined;
  keep(run: Run): void;
}

const KEPT_RUNS = 4096;
const stores = new WeakMap<StateStore, Names>();

/** Returns the names that this process remembers for a store. It remembers only the runs that it used last. */
export function namesIn(state: StateStore): Names {
  const known = stores.get(state);
  if (known) return known;
  const kept = new Map<string, NamedDocuments>();
  const names: Names = {
    of: (runId) => kept.get(runId),
    keep({ runId, conversationId, calls }) {
      // A map iterates in insertion order, so the first entry is the oldest.
      kept.delete(runId);
      kept.set(runId, { conversationId, callIds: calls.map(({ callId }) => callId) });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_RUNS && oldest !== undefined) kept.delete(oldest);
    },
  };
  stores.set(state, names);
  return names;
}

/** Remembers the names in a run as a committed change left them. */
export function keepWritten(state: StateStore, runId: string, { put = [] }: Change): void {
  const written = put.find(({ key }) => key === keys.run(runId));
  // This process made the document itself, so it has its type.
  if (written) namesIn(state).keep(written.value as unknown as Run);
}

/** Returns true if a run names exactly these documents. */
export function namesThose({ conversationId, calls }: Run, asked: NamedDocuments): boolean {
  return (
    conversationId === asked.conversationId &&
    calls.length === asked.callIds.length &&
    calls.every(({ callId }, n) => callId === asked.callIds[n])
  );
}
