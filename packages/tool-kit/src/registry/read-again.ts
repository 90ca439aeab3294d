import { HOME_SHARD } from "@toolbus/contracts";
import type { Seen, StateStore } from "@toolbus/state";

/**
 * How long a process uses what it has read of the registry, by the store's time. No commit can pass unnoticed, but an operator or a compromised service can
 * change a document without a commit. Such a change is seen after this time.
 */
export const MOST_AGE_MS = 10_000;

interface Read<T> extends Seen {
  readonly at: number;
  readonly value: Promise<T>;
}

/** Reads something in the shard of the registry. */
export type ReadAgain<T> = (state: StateStore, read: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that reads again only if the shard has a new commit since the last read, or if that read is too old. Otherwise it returns the same
 * object. A commit is known by its number and its random mark, so commits that a store has lost and made again count as new. Calls at the same time share
 * one read. Each store has a memory of its own.
 */
export function readAgain<T>(): ReadAgain<T> {
  const known = new WeakMap<StateStore, Read<T>>();
  return async (state, read) => {
    // The head is asked first. A commit during the read makes the next head another one, so the next call reads again.
    const { now, last } = await state.head(HOME_SHARD);
    if (last === null) return read();
    const before = known.get(state);
    const isSame = before?.commit === last.commit && before.mark === last.mark;
    if (before && isSame && now >= before.at && now - before.at < MOST_AGE_MS) return before.value;
    const made: Read<T> = { ...last, at: now, value: read() };
    known.set(state, made);
    try {
      return await made.value;
    } catch (error) {
      if (known.get(state) === made) known.delete(state);
      throw error;
    }
  };
}
