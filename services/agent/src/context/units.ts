import type { TranscriptEntry } from "@toolbus/contracts";
import type { NumberedEntry } from "./transcript-window.ts";

/** A part of a transcript that is kept or dropped as a whole: a message of the person, or an assistant's turn with all its results. */
export interface Unit {
  readonly entries: readonly NumberedEntry[];
  /** Its approximate number of tokens. */
  readonly tokens: number;
}

/** The units of a window, in order. Each begins with a message or a turn, so none begins with a result. */
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

/** The entry that a unit begins with. */
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
 * The units that this run cannot do without: its person's message, its seed turn, and the newest unit, which is what the model has to answer. In the order
 * of the units.
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
