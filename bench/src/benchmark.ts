import type { Stopwatch } from "./paired-slices.ts";

/** What every benchmark is given. */
export interface Conditions {
  /** How long each row is measured. */
  readonly seconds: number;
  readonly stopwatch: Stopwatch;
  /** Aborts when the user interrupts; a benchmark then cleans up and rejects. */
  readonly signal: AbortSignal;
}

/** What a benchmark found. */
export interface Results {
  /** For programs. */
  readonly rows: readonly object[];
  /** For people. */
  readonly table: string;
}

export interface Benchmark {
  readonly name: string;
  /** The first line that a person sees. */
  readonly summary: string;
  run(conditions: Conditions): Promise<Results>;
}
