import { randomBytes } from "node:crypto";
import { startAsked } from "../asked-process.ts";
import type { Conditions } from "../benchmark.ts";
import { type Goal, goal, rateGoal } from "../goal.ts";
import { pairedSlices } from "../paired-slices.ts";
import { type LoopContender, type Part, startLoop } from "./loop-contender.ts";
import type { Tools } from "./loop.ts";
import { type RunRedis, runRedis } from "./run-redis.ts";
import type { StubQuestion } from "./stub-model-process.ts";

/** How many runs are requested at a time, and how many of these runs are in flight. */
export interface RunLoad {
  readonly count: number;
  readonly inFlight: number;
}

/** The values that all rows of this benchmark share. */
export interface Ground {
  readonly redis: RunRedis;
  readonly modelUrl: string;
  readonly conditions: Conditions;
  readonly load: RunLoad;
  /** The folder of a checkout of an earlier commit, whose loop is measured as well. */
  readonly before: string | null;
}

const STUB = new URL("stub-model-process.ts", import.meta.url);
const SLICE_MS = 1000;
/** The number of tool rounds of a measured run. With the answer, a run makes six model calls. */
const ROUNDS = 5;
/** The runs before the first slice, in multiples of the runs that are requested at a time. */
const WARM_UP = 20;

/** Starts the stub of a model, and a private Redis if no address is given. Always stops both. */
export async function onGround<T>(
  redisUrl: string | null,
  conditions: Conditions,
  load: RunLoad,
  before: string | null,
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  const redis = await runRedis(redisUrl, conditions.signal);
  const stub = startAsked<StubQuestion>(STUB);
  try {
    const { url } = (await stub.ask({ kind: "begin" })) as { readonly url: string };
    return await use({ redis, modelUrl: url, conditions, load, before });
  } finally {
    await stub.stop();
    await redis.stop();
  }
}

/** Starts a loop with its own namespace, uses it, and always stops it. */
export async function withLoop<T>(
  part: Part,
  tools: Tools,
  { redis, modelUrl }: Ground,
  use: (loop: LoopContender) => Promise<T>,
): Promise<T> {
  const namespace = newNamespace();
  const loop = await startLoop(part, { redisUrl: redis.url, namespace, modelUrl, tools });
  try {
    return await use(loop);
  } finally {
    await loop.stop();
    await redis.remove(namespace);
  }
}

/** The targets of a comparison: for the runs per second, and for the processor time of a run. */
export interface Aims {
  readonly speed: number;
  readonly cpu: number;
}

/**
 * Compares the runs per second of two loops, and the processor time of a run in the processes of the loops. The tools of both are in the same place.
 * `whose` names our loop in the rows.
 */
export async function speedRows(
  { tools, whose }: { readonly tools: string; readonly whose: string },
  { speed, cpu }: Aims,
  ours: LoopContender,
  theirs: LoopContender,
  { conditions, load }: Ground,
): Promise<readonly Goal[]> {
  const { count, inFlight } = load;
  // A service is warm after its first minute. Node needs many runs until it has compiled everything that a run needs.
  for (const side of [theirs, ours]) await side.runs(WARM_UP * count, ROUNDS, inFlight);
  const [subject, bare] = [counted(ours), counted(theirs)];
  const paired = await pairedSlices({
    subject: () => subject.runs(count, ROUNDS, inFlight),
    bare: () => bare.runs(count, ROUNDS, inFlight),
    sliceMs: SLICE_MS,
    ...conditions,
  });
  const [ourMs, theirMs] = await Promise.all([subject.cpuMs(), bare.cpuMs()]);
  const what = `${inFlight} in flight, ${tools}, against the loop by hand`;
  return [
    rateGoal({ name: `${whose}runs a second, ${what}`, is: "at least", target: speed }, paired, count, "runs/s"),
    goal({ name: `${whose}processor time of a run, ${what}`, is: "at most", target: cpu }, { ours: ourMs, theirs: theirMs, unit: "ms" }),
  ];
}

/** Counts the runs of a loop. `cpuMs` returns the processor time of a run, without the loop's start and its first runs. */
function counted(loop: LoopContender) {
  let runs = 0;
  let before: number | null = null;
  return {
    async runs(count: number, rounds: number, inFlight: number): Promise<void> {
      await loop.runs(count, rounds, inFlight);
      // The first slice is not counted either.
      if (before === null) before = await loop.cpuMs();
      else runs += count;
    },
    cpuMs: async () => ((await loop.cpuMs()) - (before ?? 0)) / Math.max(1, runs),
  };
}

export function newNamespace(): string {
  return `bench-${randomBytes(5).toString("hex")}`;
}
