import type { Stopwatch } from "./paired-slices.ts";

/** The input of every benchmark. */
export interface Conditions {
  /** How long each row is measured, in seconds. */
  readonly seconds: number;
  readonly stopwatch: Stopwatch;
  /** Aborts when the user interrupts. A benchmark then cleans up and rejects. */
  readonly signal: AbortSignal;
}

/** The addresses of the servers that a benchmark uses. Never print one, because the URLs may contain passwords. */
export interface ServerUrls {
  readonly rabbitmq: string;
  readonly nats: string;
  /** If this is null, a private Redis is started if its program is on the path. */
  readonly redis: string | null;
  /** The store for the runs of other libraries. Toolbus runs do not use it. */
  readonly postgres: string;
}

/** A flag that only some benchmarks accept. */
export type SpecialFlag = keyof ServerUrls | "peers" | "before";

/** The values of the flags that only some benchmarks accept. */
export interface Requests {
  readonly servers: ServerUrls;
  /** Whether other libraries are installed and measured too. */
  readonly peers: boolean;
  /** The folder of a checkout of an earlier commit to measure as well, or null. Its packages must be installed. */
  readonly before: string | null;
}

/** The results of a benchmark. */
export interface Results {
  /** The results for programs. */
  readonly rows: readonly object[];
  /** The results for people. */
  readonly table: string;
  /** Sentences that a reader of the figures must know. They say, for example, which rows were left out and why. */
  readonly notes?: readonly string[];
}

export interface Benchmark {
  readonly name: string;
  /** The first line that a person sees. */
  readonly summary: string;
  readonly flags?: readonly SpecialFlag[];
  run(conditions: Conditions, requests: Requests): Promise<Results>;
}
