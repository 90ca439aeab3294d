import { START } from "../clockwork/clockwork.ts";
import { runSeed, type SeedOptions } from "./run-seed.ts";
import type { WorldEnd } from "../world/world.ts";

/** One line of a history: an event, or a note about one. */
export interface HistoryLine {
  /** Virtual milliseconds since the start. */
  readonly at: number;
  /** Null for a note. */
  readonly step: number | null;
  readonly text: string;
}

export interface History {
  readonly lines: readonly HistoryLine[];
  readonly end: WorldEnd;
}

/** Everything that happens in a seed's world, in order: events, faults, warnings, and which guarantee broke where. */
export async function historyOf(seed: number, options: SeedOptions): Promise<History> {
  const lines: HistoryLine[] = [];
  const end = await runSeed(seed, options, {
    step: ({ number, at, label }) => lines.push({ at: at - START, step: number, text: label }),
    note: (at, text) => lines.push({ at: at - START, step: null, text }),
  });
  return { lines, end };
}

/** A number that two histories share only if all their events are the same, at the same times. */
export async function historyHash(seed: number, options: SeedOptions): Promise<string> {
  let hash = 0xcbf29ce484222325n;
  await runSeed(seed, options, {
    step({ at, label }) {
      for (const byte of Buffer.from(`${at} ${label}\n`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    },
  });
  return hash.toString(16);
}

/** A history as text. */
export function historyText({ lines }: History): string {
  return lines
    .map(({ at, step, text }) => `${at.toFixed(1).padStart(12)} ${step === null ? "   ·  " : String(step).padStart(6)} ${text}\n`)
    .join("");
}
