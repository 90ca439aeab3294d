import type { WorldPlan } from "../world/plan.ts";
import { prng } from "../clockwork/prng.ts";
import { drawnPlan, withoutFallback } from "../world/plan.ts";
import { runWorld, type Witness, type WorldEnd } from "../world/world.ts";

export interface SeedOptions {
  /** Whether faults go on for a minute after every run has ended: late duplicates are a kind of fault of their own. */
  readonly linger: boolean;
  /**
   * True takes away what repairs a lost message, the timers of calls, and the faults that only they repair: a layer that another one hides is tested
   * with the other one gone.
   */
  readonly withoutFallback?: boolean;
}

/** The world of a seed. */
export function planOf(seed: number, { linger, withoutFallback: bare = false }: SeedOptions): WorldPlan {
  const plan = drawnPlan(String(seed), prng(`${seed}/plan`), { linger });
  return bare ? withoutFallback(plan) : plan;
}

/** Runs one seed to its end. The same seed gives the same history, event by event. */
export function runSeed(seed: number, options: SeedOptions, witness: Witness = {}): Promise<WorldEnd> {
  return runWorld(planOf(seed, options), witness);
}
