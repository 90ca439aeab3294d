import type { SingleKill } from "../kills/single-kills.ts";
import type { Mutant } from "../mutants/mutant.ts";
import type { SeedOptions } from "../seeds/run-seed.ts";
import { type Coverage, coverageOf, emptyCoverage, notReached } from "../progress/coverage.ts";
import { FEWEST_SEEDS, missedFloors } from "../progress/floors.ts";
import { emptyTally, sumOf, type Tally } from "../progress/tally.ts";
import { inChildren } from "./child-pool.ts";
import type { Found, Task } from "./task.ts";

export interface Totals {
  readonly worlds: number;
  readonly found: readonly Found[];
  readonly faults: number;
  /** The work of all worlds together. */
  readonly tally: Tally;
  /** The places that at least one world reached. */
  readonly coverage: Coverage;
  /** The work that is below its minimum. The list is empty for worlds of a variant, because a variant does less of some work on purpose. */
  readonly missed: readonly string[];
  /** The number of worlds per second of one processor. */
  readonly perCoreSecond: number;
}

export interface MutantResult {
  readonly name: string;
  readonly breaks: string;
  /** The number of seeds after which the simulator noticed the mutant, and the violation that showed it. Null if nothing noticed the mutant. */
  readonly caught: { readonly seeds: number; readonly by: string } | null;
}

export interface SimulateOptions {
  readonly jobs: number;
  readonly signal: AbortSignal;
  /** Invoked with the number of finished worlds and the number of all worlds. */
  readonly onProgress: (done: number, of: number) => void;
}

/** The sizes of tasks. They are so small that progress is visible and that all processes finish at about the same time. */
const SEEDS_A_TASK = 20;
const KILLS_A_TASK = 40;

export async function simulateSeeds(
  seeds: { readonly first: number; readonly count: number; readonly options: SeedOptions },
  options: SimulateOptions,
): Promise<Totals> {
  const { options: world, count } = seeds;
  const totals = await total(seedTasks({ ...seeds, untilFound: false }), count, options);
  return world.variant === undefined
    ? { ...totals, missed: [...missedFloors(totals.tally, totals.worlds), ...notReached(totals.coverage, totals.worlds)] }
    : totals;
}

/** Kills each process at each step of these canonical runs. They are numbered in the order of `canonicalRuns`. */
export async function simulateKills(runs: readonly number[], options: SimulateOptions): Promise<Totals> {
  const kills: SingleKill[] = [];
  const lists = runs.map((run): Task => ({ kind: "list-kills", run }));
  await inChildren(lists, options, (done) => {
    kills.push(...(done.kills ?? []));
    return true;
  });
  const tasks = Array.from({ length: Math.ceil(kills.length / KILLS_A_TASK) }, (_, i): Task => {
    return { kind: "kills", kills: kills.slice(i * KILLS_A_TASK, (i + 1) * KILLS_A_TASK) };
  });
  return total(tasks, kills.length, options);
}

/** Tries each mutant until a seed catches it, or until its number of seeds is used up. */
export async function simulateMutants(chosen: readonly Mutant[], options: SimulateOptions): Promise<readonly MutantResult[]> {
  const results: MutantResult[] = [];
  for (const { name, breaks, within, variant } of chosen) {
    let seeds = 0;
    let tally = emptyTally();
    let caught: MutantResult["caught"] = null;
    const tasks = seedTasks({
      first: 1,
      count: within,
      options: { linger: false, ...(variant === undefined ? {} : { variant }) },
      untilFound: true,
    });
    await inChildren(tasks, { ...options, mutant: name }, ({ worlds, found, tally: more }) => {
      seeds += worlds;
      tally = sumOf(tally, more);
      const missed = variant === undefined && seeds >= FEWEST_SEEDS ? missedFloors(tally, seeds) : [];
      const by = found[0]?.violations[0] ?? missed[0];
      if (by !== undefined) caught ??= { seeds, by };
      return by === undefined;
    });
    results.push({ name, breaks, caught });
    options.onProgress(results.length, chosen.length);
  }
  return results;
}

async function total(tasks: Iterable<Task>, count: number, options: SimulateOptions): Promise<Totals> {
  const found: Found[] = [];
  let worlds = 0;
  let faults = 0;
  let cpuMs = 0;
  let tally = emptyTally();
  let coverage = emptyCoverage();
  await inChildren(tasks, options, (done) => {
    worlds += done.worlds;
    faults += done.faults;
    cpuMs += done.cpuMs;
    tally = sumOf(tally, done.tally);
    coverage = coverageOf(coverage, done.coverage);
    found.push(...done.found);
    options.onProgress(worlds, count);
    return true;
  });
  return {
    worlds,
    found,
    faults,
    tally,
    coverage,
    missed: [],
    perCoreSecond: cpuMs === 0 ? 0 : Math.round((worlds / cpuMs) * 10_000) / 10,
  };
}

function* seedTasks(seeds: {
  readonly first: number;
  readonly count: number;
  readonly options: SeedOptions;
  readonly untilFound: boolean;
}): Generator<Task> {
  const { first, count, options, untilFound } = seeds;
  for (let done = 0; done < count; done += SEEDS_A_TASK) {
    yield {
      kind: "seeds",
      first: first + done,
      count: Math.min(SEEDS_A_TASK, count - done),
      options,
      untilFound,
    };
  }
}
