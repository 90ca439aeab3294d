import type { Stopwatch } from "./paired-slices.ts";

/** What every benchmark is given. */
export interface Conditions {
  /** How long each row is measured. */
  readonly seconds: number;
  readonly stopwatch: Stopwatch;
  /** Aborts when the user interrupts; a benchmark then cleans up and rejects. */
  readonly signal: AbortSignal;
}

/** Where the servers are that a benchmark measures on. The URLs may hold passwords: never print one. */
export interface ServerUrls {
  readonly rabbitmq: string;
  readonly nats: string;
  /** Null: a private one is started where its program is on the path. */
  readonly redis: string | null;
  /** What other libraries keep their runs on; nothing of ours does. */
  readonly postgres: string;
}

/** A flag that only some benchmarks take. */
export type SpecialFlag = keyof ServerUrls | "peers";

/** What was asked for with those flags. */
export interface Requests {
  readonly servers: ServerUrls;
  /** Whether other libraries are measured too; they are installed for that. */
  readonly peers: boolean;
}

/** What a benchmark found. */
export interface Results {
  /** For programs. */
  readonly rows: readonly object[];
  /** For people. */
  readonly table: string;
  /** What whoever reads the figures has to know, and which rows were left out and why: a sentence each. */
  readonly notes?: readonly string[];
}

export interface Benchmark {
  readonly name: string;
  /** The first line that a person sees. */
  readonly summary: string;
  readonly flags?: readonly SpecialFlag[];
  run(conditions: Conditions, requests: Requests): Promise<Results>;
}
