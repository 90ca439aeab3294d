import { fits, type Room, sizeOf } from "./room.ts";
import { headOf, type Unit } from "./units.ts";

export interface ImportanceInput {
  readonly runId: string;
  /** Returns true if the tool with this name changes something. */
  readonly isWrite: (tool: string) => boolean;
}

/**
 * Drops the units that matter least until the rest fits. Drops large old results first, answers and the person's messages later, and writes and
 * failures of the current run last. Returns null if the required units alone do not fit.
 */
export function importance(
  units: readonly Unit[],
  required: readonly boolean[],
  room: Room,
  input: ImportanceInput,
): readonly boolean[] | null {
  if (!fits(sizeOf(units, required), room)) return null;
  const selected = units.map(() => true);
  let { tokens, messages } = sizeOf(units, selected);
  const leastFirst = units
    .map((unit, n) => ({ unit, n, score: score(unit, { ...input, age: 1 - (n + 1) / units.length, room: room.tokens }) }))
    .filter(({ n }) => !required[n])
    .toSorted((a, b) => a.score - b.score || a.n - b.n);
  for (const { unit, n } of leastFirst) {
    if (fits({ tokens, messages }, room)) break;
    selected[n] = false;
    tokens -= unit.tokens;
    messages -= unit.entries.length;
  }
  return selected;
}

interface Place extends ImportanceInput {
  /** From 0 for the newest unit to almost 1 for the oldest. */
  readonly age: number;
  /** The available tokens. */
  readonly room: number;
}

/** Returns how much a unit matters. Only the order of two scores has a meaning. */
export function score(unit: Unit, { runId, isWrite, age, room }: Place): number {
  const head = headOf(unit);
  const recency = 0.5 * (1 - age);
  const ours = head.runId === runId ? 0.3 : 0;
  // A unit that uses much of the room gets a lower score. This effect grows with the age of the unit.
  const bulk = unit.entries.length > 1 ? Math.min(0.6, (unit.tokens / Math.max(1, room)) * 4) * age : 0;
  return worth(unit, isWrite) + recency + ours - bulk;
}

function worth(unit: Unit, isWrite: (tool: string) => boolean): number {
  const head = headOf(unit);
  if (head.type === "user") return 0.8;
  if (head.type !== "assistant") return 0;
  if (head.calls.some(({ name, tool = name }) => isWrite(tool))) return 0.9;
  if (unit.entries.some(({ entry }) => entry.type === "result" && entry.isError)) return 0.6;
  // An answer summarises its results in few words.
  return head.calls.length === 0 ? 0.5 : 0.2;
}
