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
  const put = new Map<string, NonNullable<Change["put"]>[number]>();
  for (const entry of first.put ?? []) put.set(entry.key, entry);
  const guarded = new Set(put.keys());
  for (const { key } of first.guards) guarded.add(key);
  for (const entry of second.put ?? []) put.set(entry.key, entry);
  // The store sets timers in their order, so the later setting of a timer is the later entry.
  const { timers: later = [] } = second;
  const earlier = (first.timers ?? []).filter(({ id }) => !later.some((timer) => timer.id === id));
  const append = [...(first.append ?? [])];
  for (const entry of second.append ?? []) {
    const at = append.findIndex(({ log }) => log === entry.log);
    const before = append[at];
    if (before) append[at] = { ...entry, entries: [...before.entries, ...entry.entries] };
    else append.push(entry);
  }
  return {
    op: `${name}:${second.op}`,
    guards: [...first.guards, ...second.guards.filter(({ key }) => !guarded.has(key))],
    put: [...put.values()],
    append,
    timers: [...earlier, ...later],
    outbox: [...(first.outbox ?? []), ...(second.outbox ?? [])],
  };
}

/** Returns the change without the wake of this run, because the process that commits the change continues the run itself. */
export function withoutWake(change: Change, runId: string): Change {
  return { ...change, outbox: (change.outbox ?? []).filter(({ id }) => !id.startsWith(`wake:${runId}#`)) };
}
