import path from "node:path";
import { modelEnvironment } from "@toolbus/agent";
import { Refusal, type SpawnedService, spawnService } from "@toolbus/runtime";
import { GENEROUS, OWN_TOOLSETS, PIN_EVERYTHING } from "./embedded-settings.ts";
import { lastLineHeld } from "./last-line.ts";
import { type LocalKeys, localKeys } from "./local-keys.ts";

/** The services that can be started apart, in the order in which they start. */
export const APART = ["tool-executor", "approvals", "agent", "gateway"] as const;

export type ApartName = (typeof APART)[number];

export interface ApartOptions {
  /** The keys lie here; the state lies where `stateUrl` says. */
  readonly directory: string;
  /** The broker: amqp:// or nats://. The bus in memory is this process's own, so it cannot be shared. */
  readonly busUrl: string;
  /** The state store that all of them share: redis://. */
  readonly stateUrl: string;
  /** How many of each; the first is 1. */
  readonly replicas: number;
  /** Settings for every service, for those that know them; what says which model answers, and its keys, goes to the agent alone. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another module in the place of a service's own: one that calls `runMain` with it. */
  readonly modules?: Partial<Readonly<Record<ApartName, string>>>;
  /** Gets what the processes write, but for the sentence of one that does not start, which is thrown; by default standard error does. */
  readonly onOutput?: (name: string, text: string) => void;
  readonly signal?: AbortSignal;
}

/** One of the replicas of a service. */
export interface Replica {
  readonly service: ApartName;
  readonly number: number;
  /** The process that runs it now. */
  readonly process: SpawnedService;
}

export interface Apart {
  readonly keys: LocalKeys;
  /** The addresses of the gateways, and of the approvals services, one a replica. */
  readonly gatewayUrls: readonly string[];
  readonly approvalsUrls: readonly string[];
  readonly replicas: () => readonly Replica[];
  /** Starts a replica again, at its old address, after it has ended or instead of the process that runs. */
  restart(service: ApartName, number: number): Promise<Replica>;
  /** Stops all that run: those that take requests first, so that whoever answers them is still there. False when one did not end cleanly. */
  stop(): Promise<boolean>;
}

/**
 * Starts every service in processes of its own, on a real broker and a shared store: what a cluster does, on one machine. Each gets the settings
 * that it needs and no other: the agent has no key but its model's, which nobody else has, and the gateway none of the approvers'.
 */
export async function startApart(options: ApartOptions): Promise<Apart> {
  const { directory, replicas: count, signal } = options;
  if (options.busUrl.startsWith("memory:") || /^(memory|sqlite):/.test(options.stateUrl))
    throw new Refusal(
      "Services in processes of their own need a broker and a store that they share: give amqp:// or nats:// and redis:// addresses.",
    );
  const keys = await localKeys(path.join(directory, "keys"));
  const running = new Map<string, Replica>();
  try {
    // The first of each alone: it makes what the others find (keys, the shape of the store, queues).
    for (const service of APART) await begin(service, 1);
    for (let number = 2; number <= count; number++) await Promise.all(APART.map((service) => begin(service, number)));
  } catch (error) {
    await Promise.all([...running.values()].map(({ process }) => process.kill()));
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
      return begin(service, number, portOf(before.process.urls[service]));
    },
    async stop() {
      const endings: (number | string)[] = [];
      for (const service of APART.toReversed()) {
        const alive = [...running.values()].filter((replica) => replica.service === service && replica.process.alive());
        endings.push(...(await Promise.all(alive.map(({ process }) => process.stop()))));
      }
      return endings.every((ending) => ending === 0);
    },
  };

  async function begin(service: ApartName, number: number, port = "0"): Promise<Replica> {
    const name = count === 1 ? service : `${service} ${number}`;
    const { onOutput = (_name: string, text: string): unknown => process.stderr.write(text) } = options;
    const said = lastLineHeld((text) => onOutput(name, text));
    const started = await spawnService({
      name,
      module: options.modules?.[service] ?? import.meta.resolve(`@toolbus/${service}/main`),
      env: { ...settingsOf(service, options, keys, port), ...given(service, options.env ?? {}) },
      onOutput: said.write,
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      // Its message has the last line in it.
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

function given(service: ApartName, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (service === "agent") return env;
  const agents = modelEnvironment(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(agents, name)));
}

function settingsOf(
  service: ApartName,
  { busUrl, stateUrl, directory }: ApartOptions,
  keys: LocalKeys,
  port: string,
): Record<string, string> {
  const keyFile = (name: string): string => path.join(directory, "keys", name);
  const common = { BUS_URL: busUrl, STATE_URL: stateUrl, LOG_LEVEL: "warn", ...GENEROUS };
  switch (service) {
    case "agent":
      return common;
    case "gateway":
      return { ...common, GATEWAY_PORT: port, GATEWAY_API_KEYS_FILE: keys.gatewayKeysFile };
    case "tool-executor":
      return { ...common, ...OWN_TOOLSETS, JWKS_FILE: keyFile("jwks.json"), RECEIPT_KEY_FILE: keyFile("receipts-signing.jwk") };
    case "approvals":
      return {
        ...common,
        ...PIN_EVERYTHING,
        APPROVALS_PORT: port,
        APPROVALS_API_KEYS_FILE: keys.approvalsKeysFile,
        APPROVALS_KEY_FILE: keyFile("approvals-signing.jwk"),
        APPROVALS_JWKS_FILE: keyFile("jwks.json"),
      };
  }
}

function portOf(url: string | undefined): string {
  return url === undefined ? "0" : new URL(url).port;
}
