import { HOME_SHARD } from "@toolbus/contracts";
import type { Seen, StateStore } from "@toolbus/state";

/**
 * How long a process uses what it has read of the registry, by the store's time. No commit can pass unnoticed, but an operator or a compromised service can
 * change a document without a commit. Such a change is seen after this time.
 */
export const MOST_AGE_MS = 10_000;

interface Read<T> extends Seen {
  /** When everything was read, by the store's time. Later reads may have read only what has changed. */
  readonly wholeAt: number;
  readonly value: Promise<T>;
}

/** What was read before, and a head of the shard from before that read. */
export interface Earlier<T> {
  readonly value: T;
  readonly since: Seen;
}

/** Reads something in the shard of the registry. The function `read` gets what was read before if it may use it again, else null. */
export type ReadAgain<T> = (state: StateStore, read: (earlier: Earlier<T> | null) => Promise<T>) => Promise<T>;

/**
 * Returns a function that reads again only if the shard has a new commit since the last read, or if everything was read too long ago. Otherwise it returns the
 * same object. A commit is known by its number and its random mark, so commits that a store has lost and made again count as new. Calls at the same time
 * share one read. Each store has a memory of its own.
 */
export function readAgain<T>(): ReadAgain<T> {
  const known = new WeakMap<StateStore, Read<T>>();
  return async (state, read) => {
    // The head is asked first. A commit during the read makes the next head another one, so the next call reads again.
    const { now, last } = await state.head(HOME_SHARD);
    if (last === null) return read(null);
    const found = known.get(state);
    const before = found && now >= found.wholeAt && now - found.wholeAt < MOST_AGE_MS ? found : null;
    if (before?.commit === last.commit && before.mark === last.mark) return before.value;
    const made: Read<T> = { ...last, wholeAt: before?.wholeAt ?? now, value: before ? readAfter(before, read) : read(null) };
    known.set(state, made);
    try {
      return await made.value;
    } catch (error) {
      if (known.get(state) === made) known.delete(state);
      throw error;
    }
  };
}

async function readAfter<T>({ value, commit, mark }: Read<T>, read: Parameters<ReadAgain<T>>[1]): Promise<T> {
  // The earlier read may still be running, and may fail.
  const earlier = await value.then(
    (known): Earlier<T> => ({ value: known, since: { commit, mark } }),
    () => null,
  );
  return read(earlier);
}
