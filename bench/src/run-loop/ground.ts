import { randomBytes } from "node:crypto";
import { startAsked } from "../asked-process.ts";
import type { Conditions } from "../benchmark.ts";
import { type Goal, rateGoal, type Target } from "../goal.ts";
import { pairedSlices } from "../paired-slices.ts";
import { type LoopContender, startLoop } from "./loop-contender.ts";
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
}

const STUB = new URL("stub-model-process.ts", import.meta.url);
const SLICE_MS = 1000;
/** The number of tool rounds of a measured run. With the answer, a run makes six model calls. */
const ROUNDS = 5;

/** Starts the stub of a model, and a private Redis if no address is given. Always stops both. */
export async function onGround<T>(
  redisUrl: string | null,
  conditions: Conditions,
  load: RunLoad,
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  const redis = await runRedis(redisUrl, conditions.signal);
  const stub = startAsked<StubQuestion>(STUB);
  try {
    const { url } = (await stub.ask({ kind: "begin" })) as { readonly url: string };
    return await use({ redis, modelUrl: url, conditions, load });
  } finally {
    await stub.stop();
    await redis.stop();
  }
}

/** Starts a loop with its own namespace, uses it, and always stops it. */
export async function withLoop<T>(
  part: "toolbus" | "by hand",
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

/** Compares the runs per second of two loops, with the tools of both in the same place. */
export async function speedRow(
  tools: string,
  aim: Pick<Target, "is" | "target">,
  ours: LoopContender,
  theirs: LoopContender,
  { conditions, load }: Ground,
): Promise<Goal> {
  const { count, inFlight } = load;
  const paired = await pairedSlices({
    subject: () => ours.runs(count, ROUNDS, inFlight),
    bare: () => theirs.runs(count, ROUNDS, inFlight),
    sliceMs: SLICE_MS,
    ...conditions,
  });
  return rateGoal({ ...aim, name: `runs a second, ${inFlight} in flight, ${tools}, against the loop by hand` }, paired, count, "runs/s");
}

export function newNamespace(): string {
  return `bench-${randomBytes(5).toString("hex")}`;
}
