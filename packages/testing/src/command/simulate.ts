import { canonicalRuns } from "../kills/canonical-runs.ts";
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
  /** The work of all of them together. */
  readonly tally: Tally;
  /** The places that any of them reached. */
  readonly coverage: Coverage;
  /** The work that is below its minimum. Only for worlds without a variant: a variant does less of some things on purpose. */
  readonly missed: readonly string[];
  /** Worlds for each second of one processor. */
  readonly perCoreSecond: number;
}

export interface MutantResult {
  readonly name: string;
  readonly breaks: string;
  /** After how many seeds it was noticed, and by what; null if it was not noticed. */
  readonly caught: { readonly seeds: number; readonly by: string } | null;
}

export interface SimulateOptions {
  readonly jobs: number;
  readonly signal: AbortSignal;
  /** Called with the number of worlds that have run, and of those that will. */
  readonly onProgress: (done: number, of: number) => void;
}

/** Small enough that progress is visible and that no process works long after the others. */
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

/** Kills each process at each step of each canonical run. */
export async function simulateKills(options: SimulateOptions): Promise<Totals> {
  const kills: SingleKill[] = [];
  const lists = canonicalRuns.map((_, run): Task => ({ kind: "list-kills", run }));
  await inChildren(lists, options, (done) => {
    kills.push(...(done.kills ?? []));
    return true;
  });
  const tasks = Array.from({ length: Math.ceil(kills.length / KILLS_A_TASK) }, (_, i): Task => {
    return { kind: "kills", kills: kills.slice(i * KILLS_A_TASK, (i + 1) * KILLS_A_TASK) };
  });
  return total(tasks, kills.length, options);
}

/** Runs each mutant until a seed catches it, or until its number of seeds is used up. */
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
