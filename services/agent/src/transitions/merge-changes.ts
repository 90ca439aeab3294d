import type { Change } from "@toolbus/state";

/**
 * The version of a document that a change will write but that is not committed yet. No stored document has this version, so a commit that guards it
 * is refused.
 */
export const PENDING = -1;

/** Returns whether a document of this version is not committed yet. A change that rides has a negative version of its own. */
export function isPending(version: number): boolean {
  return version < 0;
}

/**
 * Returns one change that does what two changes do one after the other. The second change must have been made from the documents as the first one
 * leaves them, with a pending version. The guards of these documents are those of the first change. The op begins with `name`.
 */
export function mergeChanges(name: string, first: Change, second: Change): Change {
  const put = new Map((first.put ?? []).map((entry) => [entry.key, entry]));
  const written = new Set([...put.keys(), ...first.guards.map(({ key }) => key)]);
  for (const entry of second.put ?? []) put.set(entry.key, entry);
  const timers = new Map((first.timers ?? []).map((timer) => [timer.id, timer]));
  for (const timer of second.timers ?? []) {
    // The store sets timers in their order, so the later setting must be the later entry.
    timers.delete(timer.id);
    timers.set(timer.id, timer);
  }
  const append = new Map((first.append ?? []).map((entry) => [entry.log, entry]));
  for (const entry of second.append ?? []) {
    const before = append.get(entry.log);
    append.set(entry.log, before ? { ...entry, entries: [...before.entries, ...entry.entries] } : entry);
  }
  return {
    op: `${name}:${second.op}`,
    guards: [...first.guards, ...second.guards.filter(({ key }) => !written.has(key))],
    put: [...put.values()],
    append: [...append.values()],
    timers: [...timers.values()],
    outbox: [...(first.outbox ?? []), ...(second.outbox ?? [])],
  };
}

/** Returns the change without the wake of this run, because the process that commits the change continues the run itself. */
export function withoutWake(change: Change, runId: string): Change {
  return { ...change, outbox: (change.outbox ?? []).filter(({ id }) => !id.startsWith(`wake:${runId}#`)) };
}
