import type { Stopwatch } from "./paired-slices.ts";

/** The input of every benchmark. */
export interface Conditions {
  /** How long each row is measured. */
  readonly seconds: number;
  readonly stopwatch: Stopwatch;
  /** Aborts when the user interrupts; a benchmark then cleans up and rejects. */
  readonly signal: AbortSignal;
}

/** The addresses of the servers that a benchmark uses. The URLs may contain passwords: never print one. */
export interface ServerUrls {
  readonly rabbitmq: string;
  readonly nats: string;
  /** Null: a private one is started if its program is on the path. */
  readonly redis: string | null;
  /** The store of other libraries' runs; ours do not use it. */
  readonly postgres: string;
}

/** A flag that only some benchmarks accept. */
export type SpecialFlag = keyof ServerUrls | "peers";

/** The values of those flags. */
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
  /** What readers of the figures have to know, and which rows were left out and why: one sentence each. */
  readonly notes?: readonly string[];
}

export interface Benchmark {
  readonly name: string;
  /** The first line that a person sees. */
  readonly summary: string;
  readonly flags?: readonly SpecialFlag[];
  run(conditions: Conditions, requests: Requests): Promise<Results>;
}
