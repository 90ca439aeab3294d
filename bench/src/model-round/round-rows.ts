import { type Goal, rateGoal } from "../goal.ts";
import { pairedSlices } from "../paired-slices.ts";
import type { RunRedis } from "../run-loop/run-redis.ts";
import type { ContenderName } from "./contenders.ts";
import { type Ground, newNamespace, SLICE_MS } from "./ground.ts";
import { ContenderFailed, type RunningContender, startContender } from "./round-contender.ts";

/** How many runs are requested at a time, and how many of these runs are in flight. */
export interface RunLoad {
  readonly count: number;
  readonly inFlight: number;
}

export interface Loads {
  readonly together: RunLoad;
  readonly alone: RunLoad;
  /**
   * How many model calls one piece of work makes in a row, for the rows of single calls. The number is high enough that the pause between two batches
   * does not matter.
   */
  readonly calls: number;
}

/** Two contenders to compare, with the targets of the comparison. */
export interface Match {
  readonly ours: ContenderName;
  readonly theirs: ContenderName;
  /** The minimum ratio of runs per second, for each load with a target. */
  readonly targets: { readonly [L in "alone" | "together"]?: number };
}

/** The servers and the loads for the rows of whole runs. */
export interface RoundGround extends Ground {
  readonly redis: RunRedis;
  readonly postgresUrl: string;
  readonly loads: Loads;
}

export interface MatchResults {
  readonly rows: readonly Goal[];
  /** One sentence for each contender that could not be measured, with the reason. */
  readonly notes: readonly string[];
}

/** The number of tool rounds of a measured run. With the answer, a run makes six model calls. */
const ROUNDS = 5;

/**
 * Measures the runs per second of our contenders against each other contender. Each contender has its own process. Rejects if one of our contenders
 * fails. If another contender fails, its rows are left out.
 */
export async function roundRows(matches: readonly Match[], ground: RoundGround): Promise<MatchResults> {
  const rows: Goal[] = [];
  const notes: string[] = [];
  for (const [name, against] of Map.groupBy(matches, ({ ours }) => ours))
    await withContender(name, ground, async (ours) => {
      for (const match of against) {
        try {
          rows.push(...(await withContender(match.theirs, ground, (theirs) => matchRows(match, ours, theirs, ground))));
        } catch (error) {
          if (!(error instanceof ContenderFailed) || error.contender === name) throw error;
          notes.push(`${error.message} Its rows are left out.`);
        }
      }
    });
  return { rows, notes };
}

async function matchRows(
  { theirs: name, targets }: Match,
  ours: RunningContender,
  theirs: RunningContender,
  { conditions, loads }: RoundGround,
): Promise<readonly Goal[]> {
  const rows: Goal[] = [];
  for (const load of ["alone", "together"] as const) {
    const target = targets[load];
    if (target === undefined) continue;
    const { count, inFlight } = loads[load];
    // The warm-up is long, because Node needs many runs until it has compiled a big library.
    for (const side of [theirs, ours]) await side.runs(2 * count, ROUNDS, inFlight);
    const paired = await pairedSlices({
      subject: () => ours.runs(count, ROUNDS, inFlight),
      bare: () => theirs.runs(count, ROUNDS, inFlight),
      sliceMs: SLICE_MS,
      ...conditions,
    });
    const aim = { name: `runs a second, ${inFlightText(inFlight)}, against ${name}`, is: "at least", target } as const;
    rows.push(rateGoal(aim, paired, count, "runs/s"));
  }
  return rows;
}

/** Starts a contender with its own namespace, uses it, and always stops it. */
async function withContender<T>(
  name: ContenderName,
  { redis, postgresUrl, modelUrl, conditions }: RoundGround,
  use: (contender: RunningContender) => Promise<T>,
): Promise<T> {
  conditions.signal.throwIfAborted();
  const namespace = newNamespace();
  try {
    const contender = await startContender(name, { redisUrl: redis.url, postgresUrl, namespace, modelUrl });
    try {
      return await use(contender);
    } finally {
      await contender.stop();
    }
  } finally {
    await redis.remove(namespace);
  }
}

function inFlightText(inFlight: number): string {
  return inFlight === 1 ? "one at a time" : `${inFlight} in flight`;
}
