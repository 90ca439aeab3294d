import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Conditions } from "./benchmark.ts";
import { type Paired, pairedSlices, type Work } from "./paired-slices.ts";

/** Two ways to do the same work, ready to be measured. */
export interface Contest {
  /** Through Toolbus. */
  readonly subject: Work;
  /** The same work without it. */
  readonly bare: Work;
  /** Leaves nothing running. */
  stop(): Promise<void>;
}

export interface ContestPlan {
  readonly sliceMs: number;
  /** `directory` is removed when the contest has stopped. */
  open(directory: string, signal: AbortSignal): Promise<Contest>;
}

/** Opens a contest, measures it and stops it, whatever happens. */
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
