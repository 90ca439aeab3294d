import path from "node:path";
import { modelEnvironment } from "@toolbus/agent";
import { workerOf } from "@toolbus/contracts";
import { Refusal, type ServiceAddresses, type SpawnedService, spawnService, workerKeyFile } from "@toolbus/runtime";
import { APART_TOOLSETS, GENEROUS, SHIPPED_TOOLS } from "./embedded-settings.ts";
import { lastLineHeld } from "./last-line.ts";
import { type LocalKeys, localKeys } from "./local-keys.ts";

/**
 * The services that can be started in separate processes, in the order in which they start. Each toolset has its own process, and so its own login.
 */
export const APART = ["tool-executor", "operations", "approvals", "agent", "gateway"] as const;

/** `mcp` is the bridge to MCP servers, which only some deployments have. */
export type ApartName = (typeof APART)[number] | "mcp";

export interface ApartOptions {
  /** The data directory, which contains the keys. `stateUrl` says where the state is. */
  readonly directory: string;
  /** The amqp:// or nats:// address of the broker. The bus in memory belongs to this process, so it cannot be shared. */
  readonly busUrl?: string;
  /** The redis:// address of the state store that all processes share. */
  readonly stateUrl?: string;
  /**
   * Returns the addresses for each login that `toolbus permissions` makes: `gateway`, `agent`, `approvals`, `operations` and `worker-release`. These
   * addresses replace the two above, so that no process has the rights of another.
   */
  readonly addresses?: (login: string) => ServiceAddresses;
  /** The number of replicas of each service. Replicas are numbered from 1. */
  readonly replicas: number;
  /** Settings for the services. Only the agent gets the settings that choose the model, and the model's keys. */
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the settings of one service only, which override all others. */
  readonly settingsOf?: (service: ApartName) => Readonly<Record<string, string>>;
  /** True to run the bridge to MCP servers too, in its own process. Its settings name its file. */
  readonly mcp?: boolean;
  /** Modules that replace a service's own module. Each of them calls `runMain`. */
  readonly modules?: Partial<Readonly<Record<ApartName, string>>>;
  /**
   * Receives the output of the processes. If a process does not start, its last line is part of the thrown error instead. By default the output is
   * written to standard error.
   */
  readonly onOutput?: (name: string, text: string) => void;
  readonly signal?: AbortSignal;
}

/** One of the replicas of a service. */
export interface Replica {
  readonly service: ApartName;
  readonly number: number;
  /** The process that currently runs the replica. */
  readonly process: SpawnedService;
}

export interface Apart {
  readonly keys: LocalKeys;
  /** The addresses of the gateways, and of the approvals services, one per replica. */
  readonly gatewayUrls: readonly string[];
  readonly approvalsUrls: readonly string[];
  readonly replicas: () => readonly Replica[];
  /** Stops a replica if it still runs, and starts it again at its old address. */
  restart(service: ApartName, number: number): Promise<Replica>;
  /**
   * Stops all running processes. The processes that accept requests stop first, so that the other processes can still answer these requests. Resolves
   * with false if one did not end cleanly.
   */
  stop(): Promise<boolean>;
}

/**
 * Starts every service in a separate process, on a real broker and a shared store, as a cluster on one machine. Each service gets only the settings
 * that it needs. Only the agent gets the model's key, and the gateway gets no approver's key.
 */
export async function startApart(options: ApartOptions): Promise<Apart> {
  const { directory, replicas: count, signal } = options;
  const services: readonly ApartName[] = options.mcp ? ["mcp", ...APART] : APART;
  if (services.map((service) => addressesOf(service, options)).some(({ busUrl, stateUrl }) => cannotBeShared(busUrl, stateUrl)))
    throw new Refusal(
      "Services in separate processes need a broker and a store that they share: give amqp:// or nats:// and redis:// addresses.",
    );
  const keys = await localKeys(path.join(directory, "keys"), { toolsets: Object.values(APART_TOOLSETS) });
  const running = new Map<string, Replica>();
  try {
    // The first replica of each service starts alone, because it creates what the other replicas expect: keys, the record of the store, queues.
    for (const service of services) await begin(service, 1);
    for (let number = 2; number <= count; number++) await Promise.all(services.map((service) => begin(service, number)));
  } catch (error) {
    // If the start was aborted, the processes stop in an orderly way. If it failed, they are killed.
    await Promise.all([...running.values()].map(({ process }) => (signal?.aborted ? process.stop() : process.kill())));
    throw error;
  }
  return {
    keys,
    gatewayUrls: urlsOf("gateway"),
    approvalsUrls: urlsOf("approvals"),
    replicas: () => [...running.values()],
    async restart(service, number) {
      const before = running.get(`${service}-${number}`);
      if (!before) throw new Error(`There is no ${service} ${number}.`);
      await before.process.stop();
      const url = before.process.urls[service];
      return begin(service, number, ...(url === undefined ? [] : [new URL(url).port]));
    },
    async stop() {
      const endings: (number | string)[] = [];
      for (const service of services.toReversed()) {
        const alive = [...running.values()].filter((replica) => replica.service === service && replica.process.alive());
        endings.push(...(await Promise.all(alive.map(({ process }) => process.stop()))));
      }
      return endings.every((ending) => ending === 0);
    },
  };

  async function begin(service: ApartName, number: number, port?: string): Promise<Replica> {
    const name = count === 1 ? service : `${service} ${number}`;
    const { onOutput = (_name: string, text: string): unknown => process.stderr.write(text) } = options;
    const said = lastLineHeld((text) => onOutput(name, text));
    const started = await spawnService({
      name,
      module: options.modules?.[service] ?? import.meta.resolve(`@toolbus/${MODULES[service]}/main`),
      env: {
        ...settingsOf(service, options, keys),
        ...given(service, options.env ?? {}),
        ...options.settingsOf?.(service),
        // A restarted process listens on the same port as before.
        ...(port === undefined ? {} : { [`${service.toUpperCase()}_PORT`]: port }),
      },
      onOutput: said.write,
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      // The error's message contains the last line.
      if (error instanceof Refusal) said.drop();
      said.release();
      throw error;
    });
    said.release();
    const replica: Replica = { service, number, process: started };
    running.set(`${service}-${number}`, replica);
    return replica;
  }

  function urlsOf(service: ApartName): readonly string[] {
    return [...running.values()].flatMap(({ process }) => process.urls[service] ?? []);
  }
}

/** The module of each service. The service for dead letters and the bridge to MCP servers are workers too. */
const MODULES: Readonly<Record<ApartName, string>> = {
  mcp: "tool-executor",
  operations: "tool-executor",
  "tool-executor": "tool-executor",
  approvals: "approvals",
  agent: "agent",
  gateway: "gateway",
};

function addressesOf(service: ApartName, { addresses, busUrl = "memory:", stateUrl = "memory:" }: ApartOptions): ServiceAddresses {
  const login = service === "tool-executor" || service === "mcp" ? workerOf(APART_TOOLSETS[service]) : service;
  return addresses?.(login) ?? { busUrl, stateUrl };
}

function cannotBeShared(busUrl: string, stateUrl: string): boolean {
  return busUrl.startsWith("memory:") || /^(memory|sqlite):/.test(stateUrl);
}

function given(service: ApartName, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (service === "agent") return env;
  const agents = modelEnvironment(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(agents, name)));
}

function settingsOf(service: ApartName, options: ApartOptions, keys: LocalKeys): Record<string, string> {
  const { services } = keys;
  const { busUrl, stateUrl } = addressesOf(service, options);
  const common = { BUS_URL: busUrl, STATE_URL: stateUrl, SERVICE_KEYS_FILE: services.trusted, ...GENEROUS };
  switch (service) {
    case "agent":
      return { ...common, AGENT_KEY_FILE: services.agent };
    case "gateway":
      return { ...common, GATEWAY_PORT: "0", GATEWAY_API_KEYS_FILE: keys.gatewayKeysFile, GATEWAY_KEY_FILE: services.gateway };
    case "mcp":
    case "operations":
    case "tool-executor":
      return { ...common, TOOLSETS: APART_TOOLSETS[service], RECEIPT_KEY_FILE: workerKeyFile(services, APART_TOOLSETS[service]) };
    case "approvals":
      return {
        ...common,
        ...SHIPPED_TOOLS,
        APPROVALS_PORT: "0",
        APPROVALS_API_KEYS_FILE: keys.approvalsKeysFile,
        APPROVALS_KEY_FILE: services.approvals,
        APPROVALS_SEAL_KEYS_FILE: services.seals,
        APPROVALS_JWKS_FILE: path.join(options.directory, "keys", "jwks.json"),
      };
  }
}
