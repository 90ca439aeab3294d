import type { WorldPlan } from "../world/world-plan.ts";
import { prng } from "../clockwork/prng.ts";
import { drawnPlan } from "../world/plan.ts";
import { type Variant, variants } from "../world/variants.ts";
import { runWorld, type Witness, type WorldEnd } from "../world/world.ts";

export interface SeedOptions {
  /** Whether faults continue for a minute after every run has ended, for example as late duplicates. */
  readonly linger: boolean;
  /** Another world of the same seed, in which something is frequent or missing. */
  readonly variant?: Variant;
}

/** Returns the world of a seed. */
export function planOf(seed: number, { linger, variant }: SeedOptions): WorldPlan {
  const plan = drawnPlan(String(seed), prng(`${seed}/plan`), { linger });
  return variant === undefined ? plan : variants[variant](plan);
}

/** Simulates one seed to its end. The same seed gives the same history, event by event. */
export function runSeed(seed: number, options: SeedOptions, witness: Witness = {}): Promise<WorldEnd> {
  return runWorld(planOf(seed, options), witness);
}
