import type { Json } from "@toolbus/contracts";
import type { LogEntry, StateStore } from "@toolbus/state";

/**
 * Yields the entries of a log from its end backwards, in pages. The entries of a page are in order. A log only returns entries after a number, so
 * this function first searches for the end.
 */
export async function* pagesFromEnd(
  state: Pick<StateStore, "range">,
  log: string,
  { page = PAGE }: { readonly page?: number } = {},
): AsyncGenerator<readonly LogEntry[], void> {
  for (let upTo = await lastSequence(state, log); upTo > 0;) {
    const after = Math.max(0, upTo - page);
    yield await state.range(log, { after, limit: upTo - after });
    upTo = after;
  }
}

/** Returns the time at which an entry was written, as the entry says, or null if it has no time. */
export function writtenAt(value: Json): number | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const at = (value as { readonly at?: Json }).at;
  return typeof at === "number" ? at : null;
}

async function lastSequence(state: Pick<StateStore, "range">, log: string): Promise<number> {
  const isThere = async (sequence: number): Promise<boolean> => (await state.range(log, { after: sequence - 1, limit: 1 })).length > 0;
  if (!(await isThere(1))) return 0;
  let [there, gone] = [1, 2];
  while (await isThere(gone)) [there, gone] = [gone, gone * 2];
  while (gone - there > 1) {
    const middle = Math.floor((there + gone) / 2);
    if (await isThere(middle)) there = middle;
    else gone = middle;
  }
  return there;
}

const PAGE = 100;
