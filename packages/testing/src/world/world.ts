import { memoryBus, type MemoryBus } from "@toolbus/bus";
import { keys } from "@toolbus/contracts";
import { type Clockwork, clockwork, START, type Step } from "../clockwork/clockwork.ts";
import { drive } from "../clockwork/drive.ts";
import { prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import { installVirtualTime } from "../clockwork/virtual-time.ts";
import type { BudgetRules } from "../invariants/budget-invariants.ts";
import { type Checker, checker } from "../invariants/checker.ts";
import { type Coverage, keptCoverage } from "../progress/coverage.ts";
import { unexplainedCrashes, unexplainedEnds } from "../progress/explained-ends.ts";
import { type Faults, faults } from "../ports/faults.ts";
import type { Observation } from "../ports/observation.ts";
import { observedStore } from "../ports/observed-store.ts";
import { waitingClaims } from "../ports/waiting-claims.ts";
import type { Wire } from "../ports/wire.ts";
import { adversary } from "./adversary.ts";
import { type Deployment, deployment } from "./deployment.ts";
import { people } from "./people.ts";
import type { WorldPlan } from "./world-plan.ts";
import { USAGE } from "./scripted-model.ts";
import { worldKeys } from "./world-keys.ts";
import { target } from "./target.ts";

/** The callbacks that observe a history while it happens. */
export interface Witness {
  /** Invoked before each event. */
  readonly step?: (step: Step, deployment: Deployment) => void;
  /** Invoked for everything that happens outside the services. */
  readonly observation?: (observation: Observation) => void;
  /** Invoked for faults, and for warnings of a process. */
  readonly note?: (at: number, text: string) => void;
}

/** The end of a history. */
export interface WorldEnd {
  /** The violations, with their time since the start. The list is empty if every guarantee holds. */
  readonly violations: readonly string[];
  readonly injected: Faults["injected"];
  readonly steps: number;
  /** Virtual milliseconds until every run had ended. */
  readonly lastedMs: number;
  readonly facts: Checker["facts"];
  /** The work of this history. Without work, the absence of violations proves nothing. */
  readonly tally: Checker["tally"];
  /** The places that were reached. */
  readonly coverage: Coverage;
  /** Reads a blob of the world's store. */
  readonly getBlob: (hash: string) => Promise<Uint8Array | null>;
}

const SETTLED_BY_MS = 3_600_000;
/** The time after the last run in which messages in transit arrive and the services clean up. */
const AFTERMATH_MS = 1_200_000;
// No seed takes nearly this many steps. A history that does not end is a bug, and this limit reveals it.
const MAX_STEPS = 300_000;
// The share of kills that hit the process of the last event. By chance alone, few processes would die between an effect and its record.
const BUSY_SHARE = 0.5;

/** The lease of a run. It is longer than the timeout of the simulated read. */
const LOCAL_RESEND_MS = 10_000;

const KEYS = await worldKeys();

/** Simulates one world until its runs have ended and nothing more can happen. Returns the violations and the work. */
export async function runWorld(plan: WorldPlan, witness: Witness = {}): Promise<WorldEnd> {
  installVirtualTime();
  // When the import of a key ends does not depend on the seed, so it must be complete before the first event.
  await KEYS.imported();
  const world = createWorld(plan, witness);
  const onUnhandled = (reason: unknown): void => world.fault(`an unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", onUnhandled);
  try {
    return await history(world, plan);
  } finally {
    process.off("unhandledRejection", onUnhandled);
  }
}

async function history(world: ReturnType<typeof createWorld>, plan: WorldPlan): Promise<WorldEnd> {
  const { time } = world;
  world.begin();
  await world.until(START + SETTLED_BY_MS, () => !world.settled());
  const lastedMs = time.now - START;
  if (world.violations.length === 0 && world.settled() && plan.lingerMs > 0) {
    world.faultsAgain();
    await world.until(time.now + plan.lingerMs, () => true);
  }
  world.faults.end();
  if (world.violations.length === 0) await world.until(time.now + AFTERMATH_MS, () => true);
  if (world.violations.length === 0) world.judgeEnd();
  const { violations, checker } = world;
  const { facts, tally } = checker;
  return {
    violations,
    injected: world.faults.injected,
    steps: time.steps,
    lastedMs,
    facts,
    tally,
    coverage: world.coverage(),
    getBlob: world.getBlob,
  };
}

function createWorld(plan: WorldPlan, witness: Witness) {
  const time: Clockwork = clockwork();
  const random = prng(plan.name);
  const injected = faults(plan.rates, random.fork("faults"));
  const { REDISPATCH_MS = null, REDISPATCH_MAX_MS = null } = plan.settings.agent;
  const check = checker({
    goesOn: plan.settings.profile.continueAfterFailedWrite,
    redispatchMs: REDISPATCH_MS,
    redispatchMaxMs: REDISPATCH_MAX_MS,
    redispatchLocalMs: plan.settings.localTools ? LOCAL_RESEND_MS : null,
    slackMs: 2 * plan.latencyMs.most + 1,
    tables: true,
    budgets: budgetRules(plan.settings.agent),
    leastApprovers: plan.settings.peopleDecideAll ? 1 : 0,
    honestBus: plan.rates.forged === 0 && plan.rates.replayed === 0,
  });
  const reached = keptCoverage();
  const violations: string[] = [];
  const note = (text: string): void => witness.note?.(time.now, text);
  const wire: Wire = { clockwork: time, faults: injected, random: random.fork("wire"), latencyMs: plan.latencyMs, note };
  const clock = (): number => Math.floor(time.now);
  const store = observedStore({ clock, observe });
  const bus: MemoryBus = memoryBus({
    clock,
    random: () => wire.random.next(),
    schedule: (task, ms) => time.schedule(null, ms + wire.random.between(0, 0.1), "broker", task),
  });
  const claims = waitingClaims({ clockwork: time, store, random: random.fork("polls"), pollMs: 250 });
  const outages = random.fork("outages");
  let downUntil = 0;
  let keepFaults = (): void => undefined;
  const services: Deployment = deployment({
    wire,
    store,
    bus,
    claims,
    observe,
    target: target({ wire, observe, drifts: plan.drifts }),
    script: plan.script(random.fork("model")),
    modelMs: plan.modelMs,
    settings: plan.settings,
    replicas: plan.replicas,
    keys: KEYS,
    skewMs: () => wire.random.between(-plan.skewMs, plan.skewMs),
    storeDown: () => time.now < downUntil,
    onKill: ({ role, name }) => reached.killed(role, name),
  });
  const persons = people({
    wire,
    observe,
    random: random.fork("people"),
    gateways: () => services.serving("gateway"),
    approvals: () => services.serving("approvals"),
    habits: plan.habits,
  });
  const mallory = adversary({ wire, bus, facts: check.facts, random: random.fork("mallory") });
  const chaos = random.fork("chaos");
  let busy = "";
  // The runs that were accepted and have not ended.
  const open = new Set<string>();

  return {
    time,
    faults: injected,
    checker: check,
    violations: violations as readonly string[],
    begin() {
      services.start();
      for (const request of plan.requests) persons.ask(request);
      faultsNowAndThen();
      keepFaults = time.schedule(null, plan.faultsForMs, "the faults end", () => injected.end());
    },
    /** Allows faults again until `faults.end()` is called, even if their time was over. */
    faultsAgain() {
      keepFaults();
      if (!injected.ended) return;
      injected.resume();
      faultsNowAndThen();
    },
    /** Returns whether every request was answered and every run has ended. */
    settled: () => persons.asking === 0 && open.size === 0,
    async until(limit: number, goOn: () => boolean): Promise<void> {
      await drive(time, {
        until: limit,
        goOn(step) {
          witness.step?.(step, services);
          strike();
          reached.step(step.label);
          busy = /^([a-z]+-[0-9.]+): /.exec(step.label)?.[1] ?? busy;
          return step.number < MAX_STEPS || violated(`G1: the history has no end: ${MAX_STEPS} events`);
        },
        settled: () => violations.length === 0 && goOn(),
      });
    },
    getBlob: (hash: string): Promise<Uint8Array | null> => store.getBlob(hash),
    coverage: (): Coverage => reached.coverage(injected.injected),
    fault: (error: string) => observe({ kind: "fault", at: time.now, process: "some process", error }),
    judgeEnd() {
      for (const broken of check.end()) violated(broken);
      const world = { injected: injected.injected, plan };
      for (const broken of [...unexplainedEnds(check.facts, world), ...unexplainedCrashes(check.facts, world)]) violated(broken);
    },
  };

  function observe(observation: Observation): void {
    witness.observation?.(observation);
    if (observation.kind === "commit") reached.committed(observation.change);
    for (const broken of check.take(observation)) violated(broken);
    persons.notice(observation);
    if (observation.kind === "accepted") open.add(observation.runId);
    if (observation.kind === "accepted" || observation.kind === "commit")
      for (const runId of open) if (hasEnded(check.facts, runId)) open.delete(runId);
  }

  function violated(what: string): false {
    violations.push(`+${(time.now - START).toFixed(1)} ms ${what}`);
    note(`VIOLATION ${what}`);
    return false;
  }

  /** Called before each event. It may kill or pause a process or ask it to stop. */
  function strike(): void {
    if (injected.hit("kill")) withVictim("kill -9", (victim) => services.kill(victim, chaos.magnitude(10, 15_000)), BUSY_SHARE);
    if (injected.hit("pause")) withVictim("SIGSTOP", (victim) => victim.pause(chaos.magnitude(500, 60_000)));
    if (injected.hit("stop")) withVictim("SIGTERM", (victim) => services.stop(victim));
  }

  /** Acts on any living process. With probability `busyShare`, it is the process of the last event. */
  function withVictim(signal: string, act: (victim: SimProcess) => void, busyShare = 0): void {
    const { alive } = services;
    if (alive.length === 0) return;
    const known = busyShare > 0 && chaos.chance(busyShare) ? alive.find(({ name }) => name === busy) : undefined;
    const victim = known ?? chaos.pick(alive);
    note(`${signal} ${victim.name}`);
    act(victim);
  }

  function faultsNowAndThen(): void {
    nowAndThen("outage", outage);
    nowAndThen("forged", () => mallory.forge());
    nowAndThen("replayed", () => mallory.replay());
  }

  /** Calls a task at random times. The rate of the fault is the average number of calls per virtual second. */
  function nowAndThen(name: "outage" | "forged" | "replayed", task: () => void): void {
    const rate = plan.rates[name];
    if (rate === 0) return;
    const again = (): void => {
      time.schedule(null, (-Math.log(1 - chaos.next()) / rate) * 1000, name, () => {
        if (injected.ended) return;
        injected.count(name);
        task();
        again();
      });
    };
    again();
  }

  function outage(): void {
    downUntil = time.now + outages.magnitude(500, 20_000);
    note(`the store answers nobody for ${Math.round(downUntil - time.now)} ms`);
  }
}

function budgetRules(agent: WorldPlan["settings"]["agent"]): BudgetRules {
  return {
    run: { tokens: agent.BUDGET_RUN_TOKENS ?? 0, toolCalls: agent.BUDGET_RUN_TOOL_CALLS ?? 0 },
    principal: { tokens: agent.BUDGET_PRINCIPAL_TOKENS_PER_DAY ?? 0, toolCalls: agent.BUDGET_PRINCIPAL_TOOL_CALLS_PER_DAY ?? 0 },
    tokensAnAnswer: USAGE.inputTokens + USAGE.outputTokens,
  };
}

function hasEnded(facts: Checker["facts"], runId: string): boolean {
  const run = facts.documents.get(keys.run(runId)) as { readonly endedAt?: number | null } | undefined;
  return typeof run?.endedAt === "number";
}
