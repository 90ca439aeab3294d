import type { TranscriptEntry } from "@toolbus/contracts";
import type { Unit } from "./units.ts";

/** The lengths, in characters, to which results are truncated when the run's own results do not fit. The first length that makes them fit is used. */
const LENGTHS = [32_000, 16_000, 8000, 4000, 2000, 1000, 500];

/**
 * Truncates all long results to the same length. This is the longest of the listed lengths with which the units fit. Returns null if no length is
 * short enough. The log keeps the full results. Long results usually go into working memory. This function handles results that are still too long
 * for the window.
 */
export function trimmedResults(
  units: readonly Unit[],
  tokensOf: (entry: TranscriptEntry) => number,
  fitting: (units: readonly Unit[]) => boolean,
): readonly Unit[] | null {
  for (const length of LENGTHS) {
    const trimmed = units.map((unit) => trimmedUnit(unit, length, tokensOf));
    if (fitting(trimmed)) return trimmed;
  }
  return null;
}

function trimmedUnit(unit: Unit, length: number, tokensOf: (entry: TranscriptEntry) => number): Unit {
  if (!unit.entries.some(({ entry }) => isLong(entry, length))) return unit;
  const entries = unit.entries.map(({ sequence, entry }) => ({ sequence, entry: trimmedEntry(entry, length) }));
  return { entries, tokens: entries.reduce((sum, { entry }) => sum + tokensOf(entry), 0) };
}

function trimmedEntry(entry: TranscriptEntry, length: number): TranscriptEntry {
  if (entry.type !== "result" || !isLong(entry, length)) return entry;
  const kept = entry.content.slice(0, length).toWellFormed();
  return {
    ...entry,
    content: `${kept}\n[${entry.content.length - length} characters left out: the model's window has no room for them. Ask for less at a time.]`,
  };
}

function isLong(entry: TranscriptEntry, length: number): boolean {
  // If fewer characters were cut, the notice would be longer than the text that it replaces.
  return entry.type === "result" && entry.content.length > length + 200;
}
