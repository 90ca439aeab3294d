import { type AgentConfig, agentSettings, startAgent } from "@toolbus/agent";
import { type ApprovalsConfig, approvalsSettings, startApprovalsCore } from "@toolbus/approvals";
import type { LocalToolsets, MemoryBus } from "@toolbus/bus";
import { type GatewayConfig, gatewaySettings, startGatewayCore } from "@toolbus/gateway";
import { type Infrastructure, readSettings, type Route } from "@toolbus/runtime";
import { startWorker, type Toolset, type Worker, type WorkerTimings } from "@toolbus/tool-kit";
import { type SimProcess, simProcess } from "../clockwork/sim-process.ts";
import type { Observe } from "../ports/observation.ts";
import type { ObservedStore } from "../ports/observed-store.ts";
import { simBus } from "../ports/sim-bus.ts";
import { simStore } from "../ports/sim-store.ts";
import { type WaitingClaims } from "../ports/waiting-claims.ts";
import type { Wire } from "../ports/wire.ts";
import { type Role, ROLES } from "./roles.ts";
import type { Served } from "./http-door.ts";
import { simLog } from "./sim-log.ts";
import { setTarget } from "./sim-tools.ts";
import { type Script, scriptedModel } from "./scripted-model.ts";
import type { Target } from "./target.ts";
import type { WorldKeys } from "./world-keys.ts";

/** The settings of a world's services. All other settings have the product's defaults. */
export interface ServiceSettings {
  readonly agent: Partial<AgentConfig>;
  readonly approvals: Partial<ApprovalsConfig>;
  readonly gateway: Partial<GatewayConfig>;
  /** Whether a policy lets people decide low and medium writes too. */
  readonly peopleDecideAll: boolean;
  readonly worker: WorkerTimings;
  /** The interval of a worker's heartbeats, and of an agent's checks that the store still has the agent's own heartbeat. */
  readonly seenEveryMs: number;
  readonly profile: AgentProfile;
  readonly toolset: Toolset;
  /** Whether each agent's process also serves the toolset, so that the agent calls it directly. */
  readonly localTools: boolean;
}

/** A profile in the form that `startAgent` accepts. */
export type AgentProfile = Parameters<typeof startAgent>[2]["profiles"] extends ReadonlyMap<string, infer P> ? P : never;

export interface DeploymentOptions {
  readonly wire: Wire;
  readonly store: ObservedStore;
  readonly bus: MemoryBus;
  readonly claims: WaitingClaims;
  readonly observe: Observe;
  readonly target: Target;
  readonly script: Script;
  /** See `WorldPlan`. */
  readonly modelMs: { readonly least: number; readonly most: number };
  readonly settings: ServiceSettings;
  readonly replicas: Readonly<Record<Role, number>>;
  readonly keys: WorldKeys;
  /** Returns the error of a new process's wall clock, in milliseconds. */
  readonly skewMs: () => number;
  readonly storeDown: () => boolean;
  /** Invoked for each kill, while the process still lives. */
  readonly onKill: (process: SimProcess) => void;
}

/**
 * The processes of a world. They run the real services, each with its own ports to the world. After a process has died, the deployment restarts it
 * some time later.
 */
export interface Deployment {
  /** Starts every replica. */
  start(): void;
  /** The processes that are alive, in a fixed order. */
  readonly alive: readonly SimProcess[];
  /** Returns the processes of a role that serve HTTP. */
  serving(role: Role): readonly Served[];
  /** Kills a process. Another incarnation starts `afterMs` later. */
  kill(process: SimProcess, afterMs: number): void;
  /** Asks a process to stop, as SIGTERM does. Another incarnation starts when the process has stopped, or when its time is over. */
  stop(process: SimProcess): void;
}

interface Replica {
  readonly role: Role;
  readonly number: number;
  incarnation: number;
  process: SimProcess | null;
  routes: readonly Route[];
  stop: (() => Promise<void>) | null;
}

const DRAIN_MS = 25_000;
const RESTART_MS = 500;

export function deployment(options: DeploymentOptions): Deployment {
  const { wire, store, bus, claims, observe, storeDown } = options;
  const { clockwork, random } = wire;
  const starters = startersOf(options);
  const replicas: readonly Replica[] = ROLES.flatMap((role) =>
    Array.from({ length: options.replicas[role] }, (_, number): Replica => ({
      role,
      number,
      incarnation: 0,
      process: null,
      routes: [],
      stop: null,
    })),
  );
  return {
    start() {
      for (const replica of replicas) startReplica(replica);
    },
    get alive() {
      return replicas.flatMap(({ process }) => (process?.alive ? [process] : []));
    },
    serving: (role) =>
      replicas.flatMap(({ process, routes, ...replica }) =>
        replica.role === role && process?.alive && routes.length > 0 ? [{ process, routes }] : [],
      ),
    kill(process, afterMs) {
      if (process.alive) options.onKill(process);
      end(process, afterMs);
    },
    stop(process) {
      const replica = replicas.find((known) => known.process === process);
      if (!replica?.stop || !process.alive) return;
      const { stop } = replica;
      replica.routes = [];
      replica.stop = null;
      process.after(0, `${process.name}: SIGTERM`, () => {
        process.working = false;
        claims.release(process);
        void stop().then(() => process.after(0, `${process.name}: exits`, () => end(process, RESTART_MS)));
      });
      clockwork.schedule(null, DRAIN_MS, `${process.name}: its time to stop is over`, () => end(process, RESTART_MS));
    },
  };

  function end(process: SimProcess, afterMs: number): void {
    const replica = replicas.find((known) => known.process === process);
    if (!replica || !process.alive) return;
    process.kill();
    replica.routes = [];
    replica.stop = null;
    clockwork.schedule(null, afterMs, `restart ${replica.role}`, () => startReplica(replica));
  }

  function startReplica(replica: Replica): void {
    const { role, number } = replica;
    const name = `${role}-${number}.${++replica.incarnation}`;
    const process = simProcess({ clockwork, role, name, skewMs: options.skewMs() });
    replica.process = process;
    process.after(0, `${name}: starts`, () => {
      void starters[role](infrastructureOf(process), process).then(
        ({ routes, stop }) => {
          process.working = true;
          replica.routes = routes;
          replica.stop = stop;
        },
        (error: unknown) => {
          observe({ kind: "crash", at: clockwork.now, process: name, error: String(error) });
          clockwork.schedule(null, 0, `${name}: exits`, () => end(process, RESTART_MS));
        },
      );
    });
  }

  function infrastructureOf(process: SimProcess): Infrastructure {
    const bytes = random.fork(process.name);
    return {
      bus: simBus({ wire, process, bus, observe }),
      state: simStore({ wire, process, store, claims, down: storeDown }),
      log: simLog({ process, clockwork, observe, note: wire.note }),
      identity: options.keys.identities[process.role as Role],
      trusted: options.keys.trusted,
      embedded: true,
      random: (count) => bytes.bytes(count),
      monotonic: () => clockwork.now - MONOTONIC_ZERO,
      clock: () => Math.floor(clockwork.now + process.skewMs),
    };
  }
}

interface Started {
  readonly routes: readonly Route[];
  readonly stop: () => Promise<void>;
}

type Start = (infrastructure: Infrastructure, process: SimProcess) => Promise<Started>;

/** Returns functions that start the real services with the services' own start functions, without network ports and files. */
function startersOf({ wire, script, modelMs, settings, keys, target, observe }: DeploymentOptions): Readonly<Record<Role, Start>> {
  const config = configsOf(settings);
  const { service, signer } = keys.identities.worker;
  const workerIn = (infrastructure: Infrastructure, process: SimProcess): Promise<Worker> => {
    setTarget(process, target);
    const { toolset, worker: timings, seenEveryMs } = settings;
    return startWorker({
      ...infrastructure,
      toolset,
      keys: keys.trusted.of("approvals"),
      signer,
      receiptKeys: keys.trusted.of(service),
      timings,
      seenEveryMs,
    });
  };
  return {
    async agent(infrastructure, process) {
      const provider = scriptedModel({ wire, process, script, modelMs, observe });
      // There are two profiles, one for investigations and one for conversations. Only their names differ.
      const profiles = new Map(["release-investigation", "chat"].map((name) => [name, { ...settings.profile, name }]));
      const local: LocalToolsets = new Map();
      const worker = settings.localTools ? await workerIn({ ...infrastructure, local }, process) : null;
      const { stop } = await startAgent({ ...infrastructure, local }, config.agent, {
        provider,
        profiles,
        seenEveryMs: settings.seenEveryMs,
      });
      return {
        routes: [],
        async stop() {
          await stop();
          await worker?.stop();
        },
      };
    },
    async worker(infrastructure, process) {
      const worker = await workerIn(infrastructure, process);
      return { routes: [], stop: () => worker.stop() };
    },
    approvals: (infrastructure) =>
      startApprovalsCore(infrastructure, config.approvals, keys.approvals, settings.peopleDecideAll ? { policy: PEOPLE_DECIDE_ALL } : {}),
    async gateway(infrastructure) {
      const { parts, routes, stop } = startGatewayCore(infrastructure, config.gateway);
      return {
        routes,
        async stop() {
          parts.streams.bye();
          await stop();
        },
      };
    },
  };
}

const PEOPLE_DECIDE_ALL = {
  current: () =>
    ({ version: "people decide all", content: { version: 1, tiers: { low: { approvers: 1 }, medium: { approvers: 1 } } } }) as const,
  warnings: () => [],
};

const MONOTONIC_ZERO = 1_799_999_000_000;

// The defaults are read only once, because reading settings takes longer than a short history.
const defaults = {
  agent: readSettings(agentSettings, {}),
  approvals: readSettings(approvalsSettings, { PIN_ON_FIRST_SIGHT: "true" }),
  gateway: readSettings(gatewaySettings, {}),
};

function configsOf(settings: ServiceSettings) {
  return {
    agent: { ...defaults.agent, ...settings.agent },
    approvals: { ...defaults.approvals, ...settings.approvals },
    gateway: { ...defaults.gateway, ...settings.gateway },
  };
}
