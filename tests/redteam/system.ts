import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type Apart, localKeys, startApart } from "@toolbus/all-in-one";
import type { ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { type ServiceAddresses, setUpServers, workerKeyFile } from "@toolbus/runtime";
import { startPrivateServer, startServersWithLogins } from "@toolbus/testing/servers";
import { IMPATIENT } from "../e2e/apart/impatient.ts";
import { scratch } from "../e2e/testing/scratch.ts";
import { type Bridge, bridgeIn, startGuides } from "./mcp-services.ts";
import { payments, TOOLS } from "./payments.ts";
import { type KeyFiles, peopleIn } from "./people.ts";
import { startTarget, type Target } from "./target.ts";

export const BROKERS = ["nats", "rabbitmq"] as const;
export type Broker = (typeof BROKERS)[number];

/** With `own`, each service has the login that `toolbus permissions` makes. With `shared`, all services have one login. */
export const MODES = ["own", "shared"] as const;
export type Mode = (typeof MODES)[number];

/** The private key file of each service, for an attacker who has compromised that service. */
export interface ServiceKeys {
  readonly agent: string;
  readonly gateway: string;
  readonly "worker.payments": string;
  /** The key of a toolset that has no tools in this system. Whoever operates this toolset has only the toolset's login and key. */
  readonly "worker.notes": string;
}

/** A system with every service in a separate process. Its target records the effects that really happened. */
export interface SystemUnderAttack {
  readonly broker: Broker;
  readonly mode: Mode;
  readonly apart: Apart;
  readonly target: Target;
  readonly people: KeyFiles["people"];
  readonly keyFiles: ServiceKeys;
  /** Returns the addresses with this login. If all services share one login, all addresses are the same. */
  addressesOf(login: string): ServiceAddresses;
  /** The addresses without any login. */
  readonly bare: ServiceAddresses;
  /** The addresses with the login of the servers' operator. The trial reads the store with them. */
  readonly admin: ServiceAddresses;
  readonly bridge: Bridge;
  /** Creates again what services expect on the servers, as `toolbus permissions --set-up` does. Does nothing if all services share one login. */
  setUpAgain(): Promise<void>;
  /** Returns every line that the services have logged. Each begins with the service's name. */
  readonly lines: () => readonly string[];
  stop(): Promise<void>;
}

interface Servers {
  addressesOf(login: string): ServiceAddresses;
  readonly bare: ServiceAddresses;
  readonly admin: ServiceAddresses;
  setUpAgain(): Promise<void>;
  remove(): Promise<void>;
}

/** Settings that only some attacks need. */
export interface Unusual {
  /** More writes that an operator has enabled. */
  readonly enabled?: readonly ToolDefinition[];
  readonly modules?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** True to start the bridge to MCP servers and the toolset of guides too. */
  readonly mcp?: true;
}

/**
 * The system of the whole trial. Services store every security event in full, although the attacks cause more than 30 of a kind in a minute. The
 * answers over MCP do not wait long for calls that are not over.
 */
export const EVERY_EVENT: Unusual = {
  env: { SECURITY_EVENTS_PER_MINUTE: "1000", MCP_WAIT_MS: "10000", MCP_HOSTS: "tools.example" },
  mcp: true,
};

export async function startSystemUnderAttack(broker: Broker, mode: Mode, unusual: Unusual = {}): Promise<SystemUnderAttack> {
  const files = scratch();
  const directory = files.data();
  const toolsets = ["payments", "notes", ...(unusual.mcp ? ["mcp", "guides"] : [])];
  const bridge = bridgeIn(files);
  const written: string[] = [];
  const stops: (() => Promise<unknown>)[] = [async () => files.remove()];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  const onOutput = (name: string, text: string): void => void written.push(text.replace(/^(?=.)/gm, `${name}: `));
  try {
    const servers = await (mode === "own" ? serversWithLogins(broker, toolsets) : serversOfOneLogin(broker));
    stops.push(servers.remove);
    const target = await startTarget([TOOLS.keyed]);
    stops.push(target.stop);
    const keys = await keysIn(directory, toolsets);
    const { people, ...keyFiles } = await peopleIn(directory);
    const apart = await startApart({
      directory,
      addresses: (login) => servers.addressesOf(login === "worker-release" ? "worker-payments" : login),
      replicas: 1,
      modules: { "tool-executor": path.join(import.meta.dirname, "payments-worker.ts"), ...unusual.modules },
      env: {
        ...IMPATIENT,
        LOG_LEVEL: "info",
        DRAIN_MS: "5000",
        AUTO_GRANTS_PER_RUN: "3",
        TARGET_URL: target.url,
        PAYMENTS_KEY_FILE: keys["worker.payments"],
        GATEWAY_API_KEYS_FILE: keyFiles.gatewayKeysFile,
        APPROVALS_API_KEYS_FILE: keyFiles.approvalsKeysFile,
        TOOLS_ENABLED_FILE: await enabledTools(directory, unusual.enabled ?? []),
        ...unusual.env,
      },
      mcp: unusual.mcp === true,
      settingsOf: (service): Readonly<Record<string, string>> => (service === "mcp" ? bridge.settings() : {}),
      onOutput,
    });
    stops.push(apart.stop);
    if (unusual.mcp) stops.push(await startGuides(apart, { addresses: servers.addressesOf("worker-guides"), onOutput }));
    return {
      broker,
      mode,
      apart,
      target,
      people,
      keyFiles: keys,
      addressesOf: servers.addressesOf,
      bridge,
      bare: servers.bare,
      admin: servers.admin,
      setUpAgain: () => servers.setUpAgain(),
      lines: () => written.join("").split("\n"),
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`The system did not start: ${written.join("").slice(-4000)}`, { cause: error });
  }
}

async function serversWithLogins(broker: Broker, toolsets: readonly string[]): Promise<Servers> {
  const servers = await startServersWithLogins(broker, { toolsets });
  const bare = { busUrl: withoutLogin(servers.broker.url), stateUrl: withoutLogin(servers.redis.url) };
  return {
    bare,
    addressesOf: servers.addressesOf,
    admin: servers.addressesOf("admin"),
    setUpAgain: () => setUpServers(servers.plan, () => undefined),
    remove: servers.remove,
  };
}

async function serversOfOneLogin(broker: Broker): Promise<Servers> {
  const [bus, redis] = await Promise.all([startPrivateServer(broker), startPrivateServer("redis")]);
  const shared = { busUrl: bus.url, stateUrl: redis.url };
  const remove = async (): Promise<void> => void (await Promise.all([bus.remove(), redis.remove()]));
  return { bare: shared, admin: shared, addressesOf: () => shared, setUpAgain: async () => undefined, remove };
}

/** Makes the keys of the services. The two toolsets have separate keys. */
async function keysIn(directory: string, toolsets: readonly string[]): Promise<ServiceKeys> {
  const { services } = await localKeys(path.join(directory, "keys"), { toolsets });
  return {
    agent: services.agent,
    gateway: services.gateway,
    "worker.payments": workerKeyFile(services, "payments"),
    "worker.notes": workerKeyFile(services, "notes"),
  };
}

/** Writes the list of enabled writes. Each write is enabled by the hash of its definition, as an operator who has read the definition would do. */
async function enabledTools(directory: string, more: readonly ToolDefinition[]): Promise<string> {
  const file = path.join(directory, "enabled.json");
  const writes = payments({ send: async () => undefined, limitOf: async () => 0 })
    .list()
    .map(({ definition }) => definition)
    .filter(({ kind }) => kind === "write");
  const listed = [...writes, ...more].map((definition) => ({
    tool: definition.name,
    toolset: "payments",
    version: definition.version,
    hash: toolHash(definition),
  }));
  await writeFile(file, JSON.stringify(listed));
  return file;
}

function withoutLogin(url: string): string {
  return url.replace(/\/\/[^/]*@/, "//");
}
