import { randomBytes } from "node:crypto";
import { remedyFor, whyAbsent } from "../absent-server.ts";
import type { Conditions, Results, Requests } from "../benchmark.ts";
import { type Goal, goal, rateGoal, tableOfGoals, type Target, timeGoal } from "../goal.ts";
import { type Paired, pairedSlices } from "../paired-slices.ts";
import { startCollector } from "../telemetry/collector.ts";
import { type Contender, startContender } from "./contender.ts";
import type { BrokerKind, Place } from "./driver.ts";
import type { DriverName } from "./drivers.ts";
import { installPeers } from "./install-peers.ts";

type Aim = Pick<Target, "is" | "target">;

interface Broker {
  readonly kind: BrokerKind;
  readonly name: string;
  readonly ours: DriverName;
  readonly raw: DriverName;
  readonly together: Aim;
  readonly alone: Aim & { readonly of: "time" | "rate" };
  readonly cpu: Aim;
}

// docs/performance.md gives the sources of the targets.
const BROKERS: readonly Broker[] = [
  {
    kind: "rabbitmq",
    name: "RabbitMQ",
    ours: "Toolbus on RabbitMQ",
    raw: "raw amqplib",
    together: { is: "at least", target: 0.85 },
    alone: { of: "time", is: "at most", target: 1.1 },
    cpu: { is: "at most", target: 1.3 },
  },
  {
    kind: "nats",
    name: "JetStream",
    ours: "Toolbus on JetStream",
    raw: "raw JetStream",
    together: { is: "at least", target: 1 },
    alone: { of: "rate", is: "at least", target: 0.95 },
    cpu: { is: "at most", target: 1.1 },
  },
];

const PEERS: readonly (Aim & { readonly name: DriverName; readonly load: keyof Loads })[] = [
  { name: "NestJS as shipped", load: "alone", is: "at least", target: 25 },
  { name: "moleculer as shipped", load: "alone", is: "at least", target: 25 },
  { name: "NestJS with noDelay", load: "together", is: "at least", target: 0.85 },
];

const TELEMETRY: Aim = { is: "at least", target: 0.93 };

/** How many calls are requested at a time, and how many of these calls are in flight. */
interface Load {
  readonly count: number;
  readonly inFlight: number;
}

export interface Loads {
  readonly together: Load;
  readonly alone: Load;
}

const SLICE_MS = 1000;
/** The counts are high enough that the pause between two batches does not matter. */
const LOADS: Loads = { together: { count: 640, inFlight: 64 }, alone: { count: 20, inFlight: 1 } };

/** The conditions of every row. */
interface Terms {
  readonly conditions: Conditions;
  readonly loads: Loads;
}

/**
 * Compares a durable tool call through Toolbus with a hand-written call that has the same guarantee and uses the broker's own client. It measures 64
 * calls in flight, one call at a time, and the processor time of both sides. It also compares Toolbus with telemetry on and off. Rejects with one
 * sentence if no broker answers.
 */
export async function toolCall(
  conditions: Conditions,
  { servers, peers }: Pick<Requests, "servers" | "peers">,
  loads: Loads = LOADS,
): Promise<Results> {
  const rows: Goal[] = [];
  const missing: string[] = [];
  for (const broker of BROKERS) {
    const url = servers[broker.kind];
    const absent = await whyAbsent(broker.kind, url);
    if (absent === null) rows.push(...(await onBroker(broker, url, peers, { conditions, loads })));
    else missing.push(absent);
  }
  if (rows.length === 0) throw new Error(`${missing.join(" ")} ${remedyFor(["rabbitmq", "nats"])}`);
  const notes = missing.map((absent) => `${absent} Its rows are left out.`);
  if (!peers) notes.push("The rows against NestJS and moleculer are left out: --peers installs and measures them.");
  return { rows, table: tableOfGoals(rows), notes };
}

async function onBroker(broker: Broker, url: string, peers: boolean, terms: Terms): Promise<readonly Goal[]> {
  return withContender(broker.ours, url, null, async (ours) => {
    const rows = [...(await withContender(broker.raw, url, null, (raw) => againstRaw(ours, raw, broker, terms)))];
    if (peers && broker.kind === "rabbitmq") rows.push(...(await againstPeers(ours, broker, url, terms)));
    rows.push(await withTelemetry(ours, broker, url, terms));
    return rows;
  });
}

async function againstRaw(ours: Contender, raw: Contender, broker: Broker, { conditions, loads }: Terms): Promise<readonly Goal[]> {
  const { together, alone } = loads;
  await warmUp([ours, raw], together, conditions);
  const used = { ours: await ours.cpuMsPerCall(), raw: await raw.cpuMsPerCall() };
  const paired = await inSlices(ours, raw, together, conditions);
  const cpu = { ours: await used.ours(), theirs: await used.raw(), unit: "ms" };
  const pairedAlone = await inSlices(ours, raw, alone, conditions);
  const rate = rateTarget(broker, alone, broker.raw, broker.alone);
  const time = { ...broker.alone, name: `${broker.name}: time of a call, ${inFlightText(alone)}, against ${broker.raw}` };
  return [
    rateGoal(rateTarget(broker, together, broker.raw, broker.together), paired, together.count, "calls/s"),
    broker.alone.of === "time" ? timeGoal(time, pairedAlone, alone.count) : rateGoal(rate, pairedAlone, alone.count, "calls/s"),
    goal({ ...broker.cpu, name: `${broker.name}: processor time of a call, both sides, against ${broker.raw}` }, cpu),
  ];
}

/**
 * Lets Node compile the code before processor time is counted. Its compiler works in threads whose time also counts. After one batch, a call took twice
 * the processor time that it takes after twenty, with and without Toolbus, and a service makes far more calls than that.
 */
async function warmUp(sides: readonly Contender[], load: Load, { signal }: Conditions): Promise<void> {
  for (let batch = 0; batch < WARM_UP_BATCHES; batch++) {
    signal.throwIfAborted();
    for (const side of sides) await side.calls(load);
  }
}

const WARM_UP_BATCHES = 20;

async function againstPeers(ours: Contender, broker: Broker, url: string, { conditions, loads }: Terms): Promise<readonly Goal[]> {
  await installPeers(conditions.signal);
  const rows: Goal[] = [];
  for (const { name, load, ...aim } of PEERS) {
    const paired = await withContender(name, url, null, (peer) => inSlices(ours, peer, loads[load], conditions));
    rows.push(rateGoal(rateTarget(broker, loads[load], name, aim), paired, loads[load].count, "calls/s"));
  }
  return rows;
}

async function withTelemetry(plain: Contender, broker: Broker, url: string, { conditions, loads: { together } }: Terms): Promise<Goal> {
  const collector = await startCollector();
  try {
    const paired = await withContender(broker.ours, url, collector.url, (traced) => inSlices(traced, plain, together, conditions));
    if (collector.bytes() === 0) throw new Error("telemetry was on and nothing was sent: the comparison would be of nothing");
    return rateGoal(rateTarget(broker, together, "itself without telemetry", TELEMETRY), paired, together.count, "calls/s");
  } finally {
    await collector.stop();
  }
}

function inSlices(ours: Contender, theirs: Contender, load: Load, conditions: Conditions): Promise<Paired> {
  return pairedSlices({ subject: () => ours.calls(load), bare: () => theirs.calls(load), sliceMs: SLICE_MS, ...conditions });
}

/** Starts a contender with its own namespace, uses it, and always stops it. */
async function withContender<T>(
  name: DriverName,
  url: string,
  collector: string | null,
  use: (contender: Contender) => Promise<T>,
): Promise<T> {
  const place: Place = { url, namespace: `bench-${randomBytes(5).toString("hex")}` };
  const contender = await startContender(name, place, collector);
  try {
    return await use(contender);
  } finally {
    await contender.stop();
  }
}

function rateTarget({ name }: Broker, load: Load, against: string, { is, target }: Aim): Target {
  return { name: `${name}: calls a second, ${inFlightText(load)}, against ${against}`, is, target };
}

function inFlightText({ inFlight }: Load): string {
  return inFlight === 1 ? "one at a time" : `${inFlight} in flight`;
}
