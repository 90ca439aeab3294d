import { type Goal, rateGoal } from "../goal.ts";
import { pairedSlices } from "../paired-slices.ts";
import type { RunRedis } from "../run-loop/run-redis.ts";
import type { ContenderName } from "./contenders.ts";
import { type Ground, newNamespace, SLICE_MS } from "./ground.ts";
import { ContenderFailed, type RunningContender, startContender } from "./round-contender.ts";

/** How many runs are requested at a time, and how many of those are in flight. */
export interface RunLoad {
  readonly count: number;
  readonly inFlight: number;
}

export interface Loads {
  readonly together: RunLoad;
  readonly alone: RunLoad;
  /** Model calls in a row, for the rows of single calls: so many that the pause between two batches does not matter. */
  readonly calls: number;
}

/** Which of ours is compared with which other, and the target. */
export interface Match {
  readonly ours: ContenderName;
  readonly theirs: ContenderName;
  /** The minimum ratio of runs per second, for each load with a target. */
  readonly targets: { readonly [L in "alone" | "together"]?: number };
}

/** Servers and loads of the rows with whole runs. */
export interface RoundGround extends Ground {
  readonly redis: RunRedis;
  readonly postgresUrl: string;
  readonly loads: Loads;
}

export interface MatchResults {
  readonly rows: readonly Goal[];
  /** The contenders that could not be measured, and why: one sentence each. */
  readonly notes: readonly string[];
}

/** Tool rounds of a measured run: with the answer six model calls. */
const ROUNDS = 5;

/** Measures runs per second of ours against each other contender, one process each. Rejects if ours fails; another that fails is left out. */
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
    // Warm-up for the compiler: big libraries take a while to get fast.
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

/** Starts a contender with its own namespace, and stops it whatever happens. */
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
