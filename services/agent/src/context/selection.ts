import { type ContextDocument, MAX_KEPT_ENTRIES } from "@toolbus/contracts";
import { fits, type Room, sizeOf } from "./room.ts";
import type { NumberedEntry } from "./transcript-window.ts";
import { firstSequence, headOf, lastSequence, type Unit } from "./units.ts";

/** A selection of units in the form of a context document. */
export type SelectedWindow = Pick<ContextDocument, "from" | "kept" | "anchor"> & { readonly entries: readonly NumberedEntry[] };

/** Returns the window for this selection. Its tail is everything from `from` on. Selected entries before `from` are listed by number. */
export function selectedWindow(units: readonly Unit[], selected: readonly boolean[]): SelectedWindow {
  const tail = tailOf(units, selected);
  const kept = units.slice(0, tail).filter((_, n) => selected[n]);
  const entries = [...kept, ...units.slice(tail)].flatMap((unit) => unit.entries);
  const first = units[tail];
  if (!first) throw new Error("A window has no entries.");
  const { runId, at } = headOf(first);
  return { from: firstSequence(first), anchor: { runId, at }, kept: kept.flatMap(numbersOf), entries };
}

/** Limits the entries before the tail to one less than a document can name. Drops the oldest units first, but never required ones. */
export function withinDocument(units: readonly Unit[], selected: readonly boolean[], required: readonly boolean[]): readonly boolean[] {
  const tail = tailOf(units, selected);
  let over = 1 - MAX_KEPT_ENTRIES;
  for (const [n, unit] of units.slice(0, tail).entries()) if (selected[n]) over += unit.entries.length;
  return selected.map((stays, n) => {
    if (!stays || n >= tail || required[n] || over <= 0) return stays;
    over -= units[n]?.entries.length ?? 0;
    return false;
  });
}

/**
 * Makes the selection begin with a message of the person, because vendors require a prompt to begin with one. Adds the message of the first selected
 * run if it fits. Otherwise drops the units before the next message, up to the first required one.
 */
export function begunWithMessage(
  units: readonly Unit[],
  selected: readonly boolean[],
  { required, room }: { readonly required: readonly boolean[]; readonly room: Room },
): readonly boolean[] {
  const begun = [...selected];
  for (let first = begun.indexOf(true); first >= 0; first = begun.indexOf(true, first)) {
    const unit = units[first];
    if (!unit || headOf(unit).type === "user") break;
    const { runId } = headOf(unit);
    const message = units.findIndex((other, n) => n < first && headOf(other).type === "user" && headOf(other).runId === runId);
    if (message >= 0) {
      begun[message] = true;
      if (fits(sizeOf(units, begun), room)) break;
      begun[message] = false;
    }
    if (required[first]) break;
    begun[first] = false;
  }
  return begun;
}

/** Returns the index of the tail's first unit. The tail is the longest end of the window that is completely selected and has no gap in the log. */
function tailOf(units: readonly Unit[], selected: readonly boolean[]): number {
  let tail = units.length - 1;
  while (tail > 0 && selected[tail - 1] && follows(units, tail)) tail--;
  return tail;
}

function follows(units: readonly Unit[], n: number): boolean {
  const [before, unit] = [units[n - 1], units[n]];
  return before !== undefined && unit !== undefined && lastSequence(before) + 1 === firstSequence(unit);
}

const numbersOf = ({ entries }: Unit): readonly number[] => entries.map(({ sequence }) => sequence);
