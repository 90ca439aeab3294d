import { START } from "../clockwork/clockwork.ts";
import { runSeed, type SeedOptions } from "./run-seed.ts";
import type { WorldEnd } from "../world/world.ts";

/** One line of a history: an event, or a note about an event. */
export interface HistoryLine {
  /** The time in virtual milliseconds since the start. */
  readonly at: number;
  /** The number of the event, or null for a note. */
  readonly step: number | null;
  readonly text: string;
}

export interface History {
  readonly lines: readonly HistoryLine[];
  readonly end: WorldEnd;
}

/** Returns everything that happens in a seed's world, in order: events, faults, warnings, and which guarantee broke where. */
export async function historyOf(seed: number, options: SeedOptions): Promise<History> {
  const lines: HistoryLine[] = [];
  const end = await runSeed(seed, options, {
    step: ({ number, at, label }) => lines.push({ at: at - START, step: number, text: label }),
    note: (at, text) => lines.push({ at: at - START, step: null, text }),
  });
  return { lines, end };
}

/** Returns a hash of all events and their times. Two histories have the same hash only if all their events are the same. */
export async function historyHash(seed: number, options: SeedOptions): Promise<string> {
  let hash = 0xcbf29ce484222325n;
  await runSeed(seed, options, {
    step({ at, label }) {
      for (const byte of Buffer.from(`${at} ${label}\n`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    },
  });
  return hash.toString(16);
}

/** Returns a history as text. */
export function historyText({ lines }: History): string {
  return lines
    .map(({ at, step, text }) => `${at.toFixed(1).padStart(12)} ${step === null ? "   ·  " : String(step).padStart(6)} ${text}\n`)
    .join("");
}
