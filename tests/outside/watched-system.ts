import { randomInt } from "node:crypto";
import path from "node:path";
import { freePort } from "@toolbus/testing/servers";
import { type Arena, openArena } from "../redteam/arena.ts";
import { type Broker, startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { type Watched, watchedHealth } from "../redteam/watched-health.ts";

/** Every service in a separate process with its own login. Each has an address that reports whether it is alive and accepts work. */
export interface WatchedSystem extends AsyncDisposable {
  readonly system: SystemUnderAttack;
  readonly arena: Arena;
  /** Returns the URL of `/healthz` or `/readyz` of every process, by the process's name. */
  addresses(path: "/healthz" | "/readyz"): Readonly<Record<Process, string>>;
  /** Repeatedly asks every process whether it is alive, until `end`. */
  watch(): { end(): Promise<Watched> };
}

export const PROCESSES = ["gateway", "approvals", "agent", "worker", "operations"] as const;
export type Process = (typeof PROCESSES)[number];

/** The longest time in milliseconds that a process may need to answer `/healthz`. */
export const MOST_HEALTH_MS = 1000;

const MODULE = path.join(import.meta.dirname, "../redteam/service-with-health.ts");
const QUIET = ["agent", "worker", "operations"] as const;
/** The ports are chosen before the servers choose theirs, so they come from a separate range. Each service has its own part of this range. */
const FIRST = 11_000;
const ROOM = 3000;

export async function startWatchedSystem(broker: Broker, env: Readonly<Record<string, string>> = {}): Promise<WatchedSystem> {
  const ports = await Promise.all(QUIET.map((_, n) => freePort(() => randomInt(FIRST + n * ROOM, FIRST + (n + 1) * ROOM))));
  const system = await startSystemUnderAttack(broker, "own", {
    modules: { agent: MODULE, "tool-executor": MODULE, operations: MODULE },
    env: { ...Object.fromEntries(QUIET.map((name, n) => [`HEALTH_PORT_OF_${name}`, String(ports[n])])), ...env },
  });
  const arena = await openArena(system);
  const addresses = (where: "/healthz" | "/readyz"): Readonly<Record<Process, string>> => {
    const [agent, worker, operations] = ports.map((port) => `http://127.0.0.1:${port}${where}`) as [string, string, string];
    return { gateway: arena.gateway(where), approvals: arena.approvals(where), agent, worker, operations };
  };
  return {
    system,
    arena,
    addresses,
    watch: () => watchedHealth(addresses("/healthz")),
    async [Symbol.asyncDispose]() {
      await arena.close();
      await system.stop();
    },
  };
}

/** Returns one sentence for each fault of the processes. Returns an empty list if there was no fault. */
export function faultsOf({ system }: WatchedSystem, { slowest, failed }: Watched): readonly string[] {
  const ended = system.apart.replicas().filter(({ process }) => !process.alive());
  return [
    ...failed,
    ...ended.map(({ service }) => `${service} has ended`),
    ...Object.entries(slowest).flatMap(([name, ms]) => (ms < MOST_HEALTH_MS ? [] : [`${name} took ${ms} ms to answer that it lives`])),
  ];
}
