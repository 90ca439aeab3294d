import { workerTimings } from "@toolbus/tool-kit";
import { BATCH_SHARE, withBatches } from "./batch-worlds.ts";
import type { Prng } from "../clockwork/prng.ts";
import type { WorldPlan } from "./world-plan.ts";
import { ratesOf, swarmRates } from "../ports/faults.ts";
import type { ServiceSettings } from "./deployment.ts";
import type { Habits } from "./persons.ts";
import { drawnScript, fixedScript } from "./scripted-model.ts";
import { planned, simToolset, simWrites, writeNamed } from "./sim-tools.ts";

const REPLICAS = { gateway: 1, agent: 2, worker: 2, approvals: 1 } as const;
/** How long a model thinks. */
const MODEL_MS = { least: 20, most: 2000 } as const;
/** The share of worlds whose agents serve the toolset themselves, and the share of turns in these worlds that have only reads and computations. */
const LOCAL_SHARE = 0.4;
const READS_SHARE = 0.6;
const FAULTS_FOR_MS = 120_000;
/** The share of worlds in which people approve plans. */
const PLANNING_SHARE = 0.25;
/** This time is shorter by minutes than the twenty that a history lasts after its last run. So the agent has stopped following every write before the end. */
const FOLLOW_OUTCOME_MS = 900_000;
export const LINGER_MS = 60_000;
/** Latencies of a local network, of a connection across the world, and of some in between. */
const LATENCIES = [
  { least: 0.1, most: 1 },
  { least: 1, most: 20 },
  { least: 5, most: 200 },
  { least: 1, most: 2000 },
] as const;

/** Draws the world of a seed: its faults and their rates, timings, tools and habits. */
export function drawnPlan(seed: string, random: Prng, { linger }: { readonly linger: boolean }): WorldPlan {
  const plan: WorldPlan = {
    name: seed,
    rates: swarmRates(random.fork("rates")),
    latencyMs: random.pick(LATENCIES),
    replicas: { ...REPLICAS, approvals: random.pick([1, 1, 2]) },
    settings: drawnSettings(random),
    habits: {
      cancels: random.pick([0, 0.25, 0.7]),
      ignores: random.pick([0, 0.1]),
      denies: 0.1,
      revises: 0.1,
      // This number comes from a separate stream, so that the worlds of seeds without edits do not change.
      edits: random.fork("edits").pick([0, 0, 0.4]),
      races: random.pick([0, 0.2]),
      batches: 0,
      cheats: random.pick([0, 0.3]),
      watches: 0.5,
      hangsUp: random.pick([0, 0.5, 0.9]),
      thinkMs: random.pick([500, 5000, 30_000]),
    },
    requests: Array.from({ length: 1 + random.below(2) }, (_, i) => ({ name: `v${i}`, messages: random.pick([0, 0, 1, 2, 3]) })),
    skewMs: random.pick([0, 0, 1000, 20_000]),
    drifts: random.fork("drifts").pick([0, 0.3, 0.8]),
    faultsForMs: FAULTS_FOR_MS,
    lingerMs: linger ? LINGER_MS : 0,
    modelMs: MODEL_MS,
    script: (stream) => drawnScript(seed, stream),
  };
  // The choice comes from a separate stream, so that the worlds of seeds without batches do not change.
  const batches = random.fork("batch worlds");
  const whole = batches.chance(BATCH_SHARE) ? withBatches(plan, batches) : plan;
  const local = random.fork("local tools");
  return local.chance(LOCAL_SHARE) ? withLocalTools(whole, local) : whole;
}

/** Returns the same world with agents that serve the toolset themselves. Many of their turns have only reads, and some models answer at once. */
export function withLocalTools(plan: WorldPlan, random: Prng): WorldPlan {
  return {
    ...plan,
    settings: { ...plan.settings, localTools: true },
    modelMs: random.pick([{ least: 1, most: 300 }, MODEL_MS]),
    script: (stream) => drawnScript(plan.name, stream, READS_SHARE),
  };
}

/** Returns a world without faults. People ask for one run, which has these turns. */
export function quietPlan(
  name: string,
  turns: readonly (readonly { readonly name: string; readonly n: number }[])[],
  habits: Partial<Habits> = {},
): WorldPlan {
  const writes = [...new Set(turns.flat().map((call) => call.name))].filter((tool) => writeNamed(tool) !== undefined);
  return {
    name,
    rates: ratesOf(),
    latencyMs: { least: 0.5, most: 5 },
    replicas: REPLICAS,
    settings: settingsWith(writes, {}, {}, { seeded: false, goesOn: false, asks: false }),
    habits: {
      cancels: 0,
      ignores: 0,
      denies: 0,
      revises: 0,
      edits: 0,
      races: 0,
      batches: 0,
      cheats: 0,
      watches: 1,
      hangsUp: 0,
      thinkMs: 500,
      ...habits,
    },
    requests: [{ name: "v0", messages: 0 }],
    skewMs: 0,
    drifts: 0,
    faultsForMs: 0,
    lingerMs: 0,
    modelMs: MODEL_MS,
    script: () => fixedScript(turns),
  };
}

function drawnSettings(random: Prng): ServiceSettings {
  const drawn = Array.from({ length: 1 + random.below(3) }, () => random.pick(simWrites).name);
  // The plans come from a separate stream, so that the worlds of seeds without plans do not change.
  const writes = random.fork("planned writes").chance(PLANNING_SHARE) ? drawn.map(planned) : drawn;
  const notAfter = random.pick([30_000, 120_000, 900_000]);
  const budgets = drawnBudgets(random.fork("budgets"));
  return settingsWith(
    [...new Set(writes)],
    {
      REDISPATCH_MS: random.pick([2000, 20_000]),
      CALL_NOT_AFTER_MS: notAfter,
      AGENT_CONCURRENCY: random.pick([1, 32]),
      ...budgets,
    },
    {
      APPROVAL_EXPIRY_MS: random.pick([10_000, 60_000, 300_000]),
      EXECUTE_BY_MS: random.pick([60_000, 3_600_000]),
      GRANT_TTL_MS: random.pick([95_000, 900_000]),
      AUTO_GRANTS_PER_RUN: random.pick([1, 64]),
    },
    { seeded: random.chance(0.3), goesOn: random.chance(0.3), asks: random.chance(0.3) },
  );
}

/**
 * Draws the budgets, which only a quarter of the worlds have. Some are so small that runs are stopped. Others are so large that only lost
 * reservations could stop a run.
 */
function drawnBudgets(random: Prng): ServiceSettings["agent"] {
  if (!random.chance(0.25)) return {};
  // A model call reserves 450 to 850 tokens, and uses few of them.
  return {
    BUDGET_RUN_TOKENS: random.pick([0, 600, 1500]),
    BUDGET_RUN_TOOL_CALLS: random.pick([0, 2, 6]),
    BUDGET_PRINCIPAL_TOKENS_PER_DAY: random.pick([0, 900, 5000]),
    BUDGET_PRINCIPAL_TOOL_CALLS_PER_DAY: random.pick([0, 5, 15]),
  };
}

function settingsWith(
  writes: readonly string[],
  agent: ServiceSettings["agent"],
  approvals: ServiceSettings["approvals"],
  { seeded, goesOn, asks }: { readonly seeded: boolean; readonly goesOn: boolean; readonly asks: boolean },
): ServiceSettings {
  return {
    agent: {
      REDISPATCH_MAX_MS: 60_000,
      HELD_CHECK_MS: 30_000,
      MODEL_TIMEOUT_MS: 60_000,
      ASK_EXPIRY_MS: 60_000,
      FOLLOW_OUTCOME_MS,
      ...agent,
    },
    approvals: { APPROVAL_EXPIRY_MS: 60_000, ...approvals },
    gateway: {},
    peopleDecideAll: false,
    seenEveryMs: 300_000,
    worker: workerTimings,
    profile: {
      name: "release-investigation",
      description: "Whatever the plan says.",
      systemPrompt: "A scripted model reads no prompt.",
      model: null,
      toolChoice: "auto",
      askUser: asks,
      tools: "all",
      limits: { maxRounds: 8, activeMs: 600_000, maxTools: 12, maxTokens: 100 },
      seedCalls: seeded ? [{ tool: "no_such_tool", argumentsFromInput: {} }] : [],
      report: null,
      continueAfterFailedWrite: goesOn,
    },
    toolset: simToolset(writes),
    localTools: false,
  };
}
