import { isRunEnd } from "@toolbus/contracts";
import type { GatePlace, HeldPlace } from "./gate.ts";
import type { RecoverySystem } from "./recovery-system.ts";
import type { FollowedRun, Received, RunClient } from "./run-client.ts";
import { type Fault, replicaWith, strike } from "./strike.ts";
import { newWork, readMessage, sharedWriteMessage, writeMessage } from "./work.ts";

/** What a round needs. */
export interface Ground {
  readonly system: RecoverySystem;
  readonly client: RunClient;
  readonly fault: Fault;
  /** The number of the round in its row, from 0. The rounds strike the two replicas in turn if they may choose. */
  readonly round: number;
  /** How many runs are in progress when the process is struck. */
  readonly runs: number;
  readonly signal: AbortSignal;
}

/** Strikes one process, and returns how long each run that it worked on stood still, in milliseconds. */
export type Round = (ground: Ground) => Promise<readonly number[]>;

const REACH_MS = 60_000;

/** Strikes a worker in the middle of reads. A run moves again when its call has its result. */
export const workerRound: Round = (ground) => heldRound("worker", ground, hasResult);

/**
 * Strikes a worker in the middle of a write on a thing for which the writes of other runs wait. A run moves again when its call has its result, so the
 * times include those of the other runs.
 */
export const sharedWriteRound: Round = async ({ system, client, fault, runs, signal }) => {
  const work = newWork();
  const held = system.gate.hold({ side: "worker", work });
  let times: readonly number[];
  const all: Work[] = [];
  try {
    const first = await client.begin(sharedWriteMessage(work));
    await approved(first, client);
    const victim = await within(held.reached, "the gate of the worker", signal);
    const others = await Promise.all(Array.from({ length: runs - 1 }, () => client.begin(sharedWriteMessage(newWork()))));
    await Promise.all(others.map((run) => approved(run, client)));
    all.push(...[first, ...others].map((run) => ({ run })));
    times = await strike(system.apart, replicaWith(system.apart, victim), fault, (at) => stoodStill(all, at, hasResult));
  } finally {
    held.open();
  }
  await ends(all);
  return times;
};

/** Approves the write of a run, and resolves when the run knows it. */
async function approved(run: FollowedRun, client: RunClient): Promise<void> {
  const { event } = await run.first((received) => received.event.type === "call.held");
  if (event.type === "call.held") await client.approve(event.approvalId);
  await run.first((received) => received.event.type === "call.decided");
}

function hasResult({ event }: Received): boolean {
  return event.type === "call.resolved";
}

/** Strikes an agent in the middle of model calls. A run moves again when the log has its next event. */
export const agentRound: Round = (ground) => heldRound("agent", ground, () => true);

async function heldRound(side: GatePlace["side"], ground: Ground, isNext: (received: Received) => boolean): Promise<readonly number[]> {
  const { system, fault } = ground;
  const work = await beginHeld(side, ground);
  let times: readonly number[];
  try {
    const pids = await Promise.all(work.map(({ held }) => within(held.reached, `the gate of the ${side}`, ground.signal)));
    const victim = mostFrequent(pids);
    const struck = work.filter((_, n) => pids[n] === victim);
    times = await strike(system.apart, replicaWith(system.apart, victim), fault, async (at) => {
      for (const one of work) if (!struck.includes(one)) one.held.open();
      return stoodStill(struck, at, isNext);
    });
  } finally {
    for (const { held } of work) held.open();
  }
  await ends(work);
  return times;
}

/** Strikes a replica of approvals between the hold of writes and their decisions. A run moves again when the log has the event after the decision. */
export const approvalsRound: Round = async ({ system, client, fault, round, runs }) => {
  const work = await Promise.all(Array.from({ length: runs }, async () => ({ run: await client.begin(writeMessage(newWork())) })));
  const held = await Promise.all(work.map(({ run }) => run.first(({ event }) => event.type === "call.held")));
  const times = await strike(system.apart, replicaOf("approvals", system, round), fault, async (at) => {
    const decided = held.map(({ event }) => (event.type === "call.held" ? client.approve(event.approvalId) : undefined));
    const [still] = await Promise.all([stoodStill(work, at, () => true), ...decided]);
    return still;
  });
  await ends(work);
  return times;
};

/** Strikes a gateway with open streams. A run moves again for its client when the resumed stream has its next event. */
export const gatewayRound: Round = async (ground) => {
  const { system, fault, round, signal } = ground;
  const work = await beginHeld("worker", ground, round);
  let times: readonly number[];
  try {
    await Promise.all(work.map(({ held }) => within(held.reached, "the gate of the worker", signal)));
    times = await strike(system.apart, replicaOf("gateway", system, round), fault, async (at) => {
      for (const { held } of work) held.open();
      return stoodStill(work, at, () => true);
    });
  } finally {
    for (const { held } of work) held.open();
  }
  await ends(work);
  return times;
};

interface Work {
  readonly run: FollowedRun;
}

interface HeldWork extends Work {
  readonly held: HeldPlace;
}

/** Begins runs that wait at the gate. Their streams begin at this gateway. */
function beginHeld(side: GatePlace["side"], { system, client, runs }: Ground, gateway = 0): Promise<readonly HeldWork[]> {
  return Promise.all(
    Array.from({ length: runs }, async () => {
      const work = newWork();
      const held = system.gate.hold({ side, work });
      return { held, run: await client.begin(readMessage(work), gateway) };
    }),
  );
}

function stoodStill(work: readonly Work[], since: number, isNext: (received: Received) => boolean): Promise<readonly number[]> {
  return Promise.all(
    work.map(async ({ run }) => {
      const { at, event } = await run.first((received) => received.at > since && isNext(received));
      if (event.type === "call.resolved" && event.status !== "ok")
        throw new Error(`a call ended as ${event.status}: ${event.content.slice(0, 200)}`);
      return at - since;
    }),
  );
}

/** Waits until the runs have ended, and rejects if one of them failed. */
async function ends(work: readonly Work[]): Promise<void> {
  for (const { run } of work) {
    const { event } = await run.first((received) => isRunEnd(received.event));
    if (event.type !== "run.completed") throw new Error(`${run.runId} ended with ${event.type}`);
  }
}

function replicaOf(service: "approvals" | "gateway", { apart }: RecoverySystem, round: number) {
  const found = apart.replicas().find((replica) => replica.service === service && replica.number === (round % 2) + 1);
  if (!found) throw new Error(`there is no second replica of ${service}`);
  return found;
}

function mostFrequent(pids: readonly number[]): number {
  const count = (pid: number): number => pids.filter((other) => other === pid).length;
  return pids.toSorted((a, b) => count(b) - count(a))[0] ?? 0;
}

async function within<T>(promise: Promise<T>, what: string, signal: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`nobody reached ${what} within ${REACH_MS / 1000} s`)), REACH_MS);
  const onAbort = (): void => late.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
