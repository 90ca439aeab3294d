import { remedyFor, whyAbsent } from "../absent-server.ts";
import type { Conditions, Requests, Results } from "../benchmark.ts";
import { quantile, rounded } from "../row.ts";
import { type RunRedis, runRedis } from "../run-loop/run-redis.ts";
import { type Column, tableWith } from "../table.ts";
import type { BrokerKind } from "../tool-call/driver.ts";
import { type RecoverySystem, withRecoverySystem } from "./recovery-system.ts";
import { agentRound, approvalsRound, gatewayRound, type Round, sharedWriteRound, workerRound } from "./rounds.ts";
import { runClient } from "./run-client.ts";
import type { Fault } from "./strike.ts";
import { newWork, readMessage } from "./work.ts";

/** How long runs stood still after the process that worked on them was struck. Times are in milliseconds. */
export interface RecoveryRow {
  readonly name: string;
  readonly broker: BrokerKind;
  readonly fault: Fault;
  /** How many times a process was struck. */
  readonly strikes: number;
  /** How many runs stood still because of that. The times are theirs. */
  readonly runs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The longest time that p99 may have. Null if the row has no target. */
  readonly target: number | null;
  readonly met: boolean | null;
}

export interface Scenario {
  readonly name: string;
  readonly fault: Fault;
  readonly round: Round;
  /** The target of p99 on each broker. docs/performance.md gives the reasons. */
  readonly target?: Partial<Readonly<Record<BrokerKind, number>>>;
}

/** On NATS, the work of a process that is killed or frozen comes back after the ack wait of 5 s. */
const ON_NATS = { nats: 6000 } as const;

export const SCENARIOS: readonly Scenario[] = [
  { name: "worker killed in reads", fault: "SIGKILL", round: workerRound, target: { rabbitmq: 1000, ...ON_NATS } },
  { name: "worker killed in a write, others wait", fault: "SIGKILL", round: sharedWriteRound },
  { name: "agent killed in model calls", fault: "SIGKILL", round: agentRound, target: ON_NATS },
  { name: "approvals killed before decisions", fault: "SIGKILL", round: approvalsRound },
  { name: "gateway killed with open streams", fault: "SIGKILL", round: gatewayRound },
  { name: "worker frozen in reads", fault: "SIGSTOP", round: workerRound, target: ON_NATS },
  { name: "agent frozen in model calls", fault: "SIGSTOP", round: agentRound, target: ON_NATS },
];

const BROKERS = [
  { kind: "rabbitmq", name: "RabbitMQ" },
  { kind: "nats", name: "NATS" },
] as const satisfies readonly { readonly kind: BrokerKind; readonly name: string }[];

/** What is measured, and how much is in progress when a process is struck. */
export interface RecoveryPlan {
  readonly scenarios: readonly Scenario[];
  /** The runs that a round holds at the same time. They spread over both replicas. */
  readonly held: number;
  /** The other runs that begin in each second. */
  readonly perSecond: number;
}

const PLAN: RecoveryPlan = { scenarios: SCENARIOS, held: 8, perSecond: 4 };

/**
 * Measures how long runs stand still when the process that works on them is killed or frozen, on both brokers. Every service has two replicas, each in
 * its own process. Rejects with one sentence if no broker answers.
 */
export async function recovery(conditions: Conditions, { servers }: Requests, plan: RecoveryPlan = PLAN): Promise<Results> {
  const missing: string[] = [];
  const present: (typeof BROKERS)[number][] = [];
  for (const broker of BROKERS) {
    const absent = await whyAbsent(broker.kind, servers[broker.kind]);
    if (absent === null) present.push(broker);
    else missing.push(absent);
  }
  if (present.length === 0) throw new Error(`${missing.join(" ")} ${remedyFor(["rabbitmq", "nats"])}`);
  const redis = await runRedis(servers.redis, conditions.signal);
  try {
    const rows: RecoveryRow[] = [];
    for (const broker of present) rows.push(...(await onBroker(broker, servers[broker.kind], redis, conditions, plan)));
    return {
      rows,
      table: tableWith(COLUMNS, rows),
      notes: [...redis.notes, ...missing.map((absent) => `${absent} Its rows are left out.`)],
    };
  } finally {
    await redis.stop();
  }
}

function onBroker(
  { kind, name }: (typeof BROKERS)[number],
  url: string,
  redis: RunRedis,
  conditions: Conditions,
  plan: RecoveryPlan,
): Promise<readonly RecoveryRow[]> {
  return withRecoverySystem({ broker: kind, brokerUrl: url, redis }, conditions.signal, async (system) => {
    const rows: RecoveryRow[] = [];
    for (const scenario of plan.scenarios) {
      const { strikes, times } = await measured(scenario, system, conditions, plan);
      const sorted = times.toSorted((a, b) => a - b);
      const p99Ms = rounded(quantile(sorted, 0.99));
      const target = scenario.target?.[kind] ?? null;
      rows.push({
        name: `${name}: ${scenario.name}`,
        broker: kind,
        fault: scenario.fault,
        strikes,
        runs: times.length,
        p50Ms: rounded(quantile(sorted, 0.5)),
        p99Ms,
        longestMs: rounded(sorted.at(-1) ?? Number.NaN),
        target,
        met: target === null ? null : p99Ms <= target,
      });
    }
    return rows;
  });
}

/** Repeats the rounds of a scenario under load until its time is over. There is at least one round. */
async function measured(
  { fault, round: oneRound }: Scenario,
  system: RecoverySystem,
  { seconds, stopwatch, signal }: Conditions,
  { held, perSecond }: RecoveryPlan,
): Promise<{ readonly strikes: number; readonly times: readonly number[] }> {
  const over = new AbortController();
  const client = runClient(system.apart, AbortSignal.any([signal, over.signal]));
  // Runs of the load may fail while a gateway is down. They are only there to keep the services busy.
  const begin = (): void => void client.begin(readMessage(newWork())).catch(() => undefined);
  const loading = perSecond > 0 ? setInterval(begin, 1000 / perSecond) : undefined;
  const times: number[] = [];
  try {
    const begun = stopwatch.now();
    for (let round = 0; ; round++) {
      times.push(...(await oneRound({ system, client, fault, round, runs: held, signal })));
      signal.throwIfAborted();
      if (stopwatch.now() - begun >= seconds * 1000) return { strikes: round + 1, times };
    }
  } finally {
    clearInterval(loading);
    over.abort(new Error("the row is over"));
  }
}

const COLUMNS: readonly Column<RecoveryRow>[] = [
  { head: "", cell: ({ name }) => name },
  { head: "strikes", cell: ({ strikes }) => String(strikes) },
  { head: "runs", cell: ({ runs }) => String(runs) },
  { head: "p50 ms", cell: ({ p50Ms }) => String(p50Ms) },
  { head: "p99 ms", cell: ({ p99Ms }) => String(p99Ms) },
  { head: "longest", cell: ({ longestMs }) => String(longestMs) },
  { head: "p99 at most", cell: ({ target }) => (target === null ? "" : String(target)) },
  { head: "", cell: ({ met }) => (met === null ? "" : met ? "met" : "missed") },
];
