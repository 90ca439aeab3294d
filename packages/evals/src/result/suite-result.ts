import type { Trial } from "./trial.ts";

/** All trials of one evaluation, with what identifies it. Reports, baselines and comparisons are pure functions of this. */
export interface SuiteResult {
  /** The version of this form, `toolbus-eval-result/1`. A file without it has this version. */
  readonly format?: string;
  readonly suite: string;
  /** A hash of the scenarios, fixtures and expectations. Results with different hashes are not comparable as a whole. */
  readonly suiteHash: string;
  /** A hash of each scenario by its id, so that a baseline can say which scenarios changed. */
  readonly scenarioHashes: Readonly<Record<string, string>>;
  /** The tags of each scenario by its id. */
  readonly tags: Readonly<Record<string, readonly string[]>>;
  /** What was evaluated, by variant, such as `offline rules-1`. */
  readonly models: Readonly<Record<string, string>>;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** In the order of the scenarios of the suite, then of the variants, then of the repeats. */
  readonly trials: readonly Trial[];
}
