import type { TranscriptEntry } from "@toolbus/contracts";
import type { NumberedEntry } from "./transcript-window.ts";

/** A part of a transcript that is kept or dropped as a whole: a message of the person, or an assistant's turn with all its results. */
export interface Unit {
  readonly entries: readonly NumberedEntry[];
  /** The approximate number of tokens of the unit. */
  readonly tokens: number;
}

/** Returns the units of a window, in order. Each unit begins with a message or a turn, never with a result. */
export function unitsOf(entries: readonly NumberedEntry[], tokensOf: (entry: TranscriptEntry) => number): readonly Unit[] {
  const units: { entries: NumberedEntry[]; tokens: number }[] = [];
  for (const numbered of entries) {
    const last = units.at(-1);
    const tokens = tokensOf(numbered.entry);
    if (numbered.entry.type === "result" && last) {
      last.entries.push(numbered);
      last.tokens += tokens;
    } else units.push({ entries: [numbered], tokens });
  }
  return units;
}

/** Returns the first entry of a unit. */
export function headOf({ entries: [first] }: Unit): TranscriptEntry {
  if (!first) throw new Error("A unit has no entries.");
  return first.entry;
}

export function firstSequence({ entries }: Unit): number {
  return entries[0]?.sequence ?? 0;
}

export function lastSequence({ entries }: Unit): number {
  return entries.at(-1)?.sequence ?? 0;
}

/**
 * Marks the units that this run needs: the person's message, the seed turn, and the newest unit, which the model has to answer. Returns one value per
 * unit, in order.
 */
export function requiredUnits(units: readonly Unit[], runId: string): readonly boolean[] {
  let message = false;
  return units.map((unit, n) => {
    if (n === units.length - 1) return true;
    const head = headOf(unit);
    if (head.runId !== runId) return false;
    if (head.type === "user" && !message) return (message = true);
    return head.type === "assistant" && head.round === 0;
  });
}
