import type { Prng } from "../clockwork/prng.ts";
import type { WorldPlan } from "./world-plan.ts";
import { planned, simToolset, simWrites, writesOf } from "./sim-tools.ts";

/** The share of worlds in which people answer several waiting approvals with one request. */
export const BATCH_SHARE = 1 / 6;

/**
 * Returns the same world with people who answer several waiting approvals with one request. Without a policy, only high and critical writes wait for
 * people, and a batch cannot decide those. So the world has a policy by which people decide every write. Most of its writes are low or medium, and
 * several runs ask at the same time.
 */
export function withBatches(plan: WorldPlan, random: Prng): WorldPlan {
  const { settings } = plan;
  const small = simWrites.filter(({ tier }) => tier === "low" || tier === "medium").map(({ name }) => name);
  // People approve the plan of some of these writes, so a decision in a batch also names a plan.
  const writes = random.chance(0.3) ? small.map(planned) : small;
  const large = random.pick(simWrites.filter(({ tier }) => tier === "high" || tier === "critical")).name;
  return {
    ...plan,
    // A kill in the middle of a batch is rare, so some of these worlds have more kills.
    rates: random.chance(0.5) ? { ...plan.rates, kill: Math.max(plan.rates.kill, 0.006) } : plan.rates,
    habits: { ...plan.habits, batches: 0.8 },
    requests: ["v0", "v1", "v2"].map((name) => ({ name, messages: random.pick([0, 0, 1, 2]) })),
    settings: {
      ...settings,
      peopleDecideAll: true,
      approvals: { ...settings.approvals, DECISIONS_PER_MINUTE: random.pick([0, 0, 10]) },
      toolset: simToolset([...new Set([...writesOf(settings.toolset), ...writes, large])]),
    },
  };
}
