import { killsOf, killText, runKill, type SingleKill } from "../kills/single-kills.ts";
import { type Coverage, coverageOf, emptyCoverage } from "../progress/coverage.ts";
import { runSeed, type SeedOptions } from "../seeds/run-seed.ts";
import { emptyTally, sumOf, type Tally } from "../progress/tally.ts";
import type { WorldEnd } from "../world/world.ts";

/** A piece of work for one child process. */
export type Task =
  | { readonly kind: "seeds"; readonly first: number; readonly count: number; readonly options: SeedOptions; readonly untilFound: boolean }
  | { readonly kind: "list-kills"; readonly run: number }
  | { readonly kind: "kills"; readonly kills: readonly SingleKill[] };

/** The violations of one world. */
export interface Found {
  /** The place of the violations: `seed 17`, or the kill in words. */
  readonly where: string;
  readonly violations: readonly string[];
}

export interface TaskDone {
  /** How many worlds were simulated. */
  readonly worlds: number;
  readonly found: readonly Found[];
  /** How many faults were injected. */
  readonly faults: number;
  /** The processor time that the task used, in milliseconds. */
  readonly cpuMs: number;
  /** The work of all worlds together. */
  readonly tally: Tally;
  /** The places that at least one world reached. */
  readonly coverage: Coverage;
  readonly kills?: readonly SingleKill[];
}

/** Does a task in this process. */
export async function doTask(task: Task): Promise<TaskDone> {
  const before = cpuMs();
  const found: Found[] = [];
  let worlds = 0;
  let faults = 0;
  let tally = emptyTally();
  let coverage = emptyCoverage();
  switch (task.kind) {
    case "seeds":
      for (let seed = task.first; seed < task.first + task.count; seed++) {
        take(`seed ${seed}`, await runSeed(seed, task.options));
        if (task.untilFound && found.length > 0) break;
      }
      break;
    case "kills":
      for (const kill of task.kills) take(killText(kill), await runKill(kill));
      faults = task.kills.length;
      break;
    case "list-kills":
      return { worlds: 1, found, faults, tally, coverage, cpuMs: cpuMs() - before, kills: await killsOf(task.run) };
  }
  return { worlds, found, faults, tally, coverage, cpuMs: cpuMs() - before };

  function take(where: string, { violations, injected, tally: more, coverage: reached }: WorldEnd): void {
    worlds++;
    tally = sumOf(tally, more);
    coverage = coverageOf(coverage, reached);
    for (const count of Object.values(injected)) faults += count;
    if (violations.length > 0) found.push({ where, violations });
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
