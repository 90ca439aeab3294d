/** The dimensions of a score, as a report groups them. */
export const DIMENSIONS = ["end", "tool_use", "decision", "error_handling", "approvals", "cost", "judge"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What one scorer said about one trial. */
export interface Score {
  /** The scorer and what it looked at, such as `tools.called get_release_summary`. The name is the same in every trial of the scenario. */
  readonly name: string;
  readonly dimension: Dimension;
  /** From 0 to 1. */
  readonly value: number;
  readonly passed: boolean;
  /** One sentence with the figures. */
  readonly reason: string;
  /** True if a failure of this score does not fail the trial, such as the score of a judge that may not gate. */
  readonly advisory?: boolean;
  /**
   * True if the scorer could not decide, such as a judge without enough votes. The score has then not passed, and its value is left out of every mean.
   * A trial with such a score has the status `error`, unless the score is advisory.
   */
  readonly error?: boolean;
}

/** What a trial cost. A figure that nobody reported is null, not zero. */
export interface TrialUsage {
  readonly rounds: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number | null;
  readonly elapsedMs: number;
}

/** One run of one scenario in one variant. */
export interface Trial {
  readonly scenario: string;
  /** The variant of the suite, such as a changed prompt. The suite as it is has the variant `default`. */
  readonly variant: string;
  /** The number of the repeat, from 1. */
  readonly repeat: number;
  /** `error` if the trial could not be run or scored. Such a trial says nothing about the agent, and a suite with one has not passed. */
  readonly status: "passed" | "failed" | "error";
  readonly scores: readonly Score[];
  readonly usage: TrialUsage;
  /** The run, to look it up. Absent if no run began, or if its run did not end and is gone with the host. */
  readonly runId?: string;
  /** Why the status is `error`, in one sentence. */
  readonly problem?: string;
}
