import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Conditions } from "./benchmark.ts";
import { type Paired, pairedSlices, type Work } from "./paired-slices.ts";

/** Two ways to do the same work, ready to be measured. */
export interface Contest {
  /** Does the work through Toolbus. */
  readonly subject: Work;
  /** Does the same work without Toolbus. */
  readonly bare: Work;
  /** Stops all processes of the contest. */
  stop(): Promise<void>;
}

export interface ContestPlan {
  readonly sliceMs: number;
  /** Opens the contest. `directory` is removed when the contest has stopped. */
  open(directory: string, signal: AbortSignal): Promise<Contest>;
}

/** Measures a contest in a temporary directory. Stops the contest and removes the directory even if the measurement fails. */
export async function measured({ open, sliceMs }: ContestPlan, conditions: Conditions): Promise<Paired> {
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  try {
    const contest = await open(directory, conditions.signal);
    try {
      return await pairedSlices({ ...contest, ...conditions, sliceMs });
    } finally {
      await contest.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
