import { randomBytes } from "node:crypto";
import { connectBus } from "@toolbus/bus";
import { rollbackMessage } from "@toolbus/contracts";
import { drawnRandom, signMessage } from "@toolbus/grants";
import {
  connectState,
  SKEW_WARN_MS,
  type StateStore,
  type StoreClock,
  storeClock,
  type StoreLosses,
  storeLosses,
  StoreUnavailable,
} from "@toolbus/state";
import {
  createLog,
  LOG_FORMATS,
  LOG_LEVELS,
  metricsAreOn,
  recordStoreLoss,
  recordUnreportedLoss,
  startTelemetry,
  watchClocks,
} from "@toolbus/telemetry";
import type { HttpServer } from "./http/http-server.ts";
import { startHealthServer } from "./http/health-server.ts";
import { observeHealth } from "./health-gauges.ts";
import { type Identities, isEmbedded, openIdentities } from "./identities.ts";
import type { Infrastructure, Service, ServiceDefinition } from "./service.ts";
import { integer, milliseconds, port, readSettings, type Settings, type SettingsOf, str } from "./settings.ts";
import { measuredStore } from "./measured-store.ts";
import { noticingStore } from "./noticing-store.ts";
import { storeReadiness } from "./store-readiness.ts";
import { messagingSystem, tracedBus } from "./traced-bus.ts";
import { openTrustedKeys, trustSettings } from "./trust.ts";
import { unknownSettings } from "./unknown-settings.ts";

/** The settings of a process, in addition to those of its services. */
export const processSettings = {
  BUS_URL: str({ default: "memory:", desc: "the bus: memory: (all services in one process), amqp://… or nats://…" }),
  STATE_URL: str({
    default: "sqlite:.toolbus/state",
    desc: "the state store: sqlite:DIRECTORY (all services in one process), redis://… or memory:",
  }),
  STATE_DURABILITY: str({
    default: "",
    choices: ["", "required", "relaxed"],
    desc: "required refuses a Redis that may lose acknowledged writes, relaxed only warns; empty: what STATE_URL says, otherwise required",
  }),
  ...trustSettings,
  LOG_LEVEL: str({ default: "info", choices: [...LOG_LEVELS], desc: "silent, error, warn, info or debug" }),
  LOG_FORMAT: str({ default: "auto", choices: [...LOG_FORMATS], desc: "json, text, or auto: text at a terminal, JSON elsewhere" }),
  TRACE_DIR: str({ default: "", desc: "a folder that gets one file of spans for each trace; empty: none" }),
  TOOL_AUDIT_FILE: str({ default: "", desc: "a file that gets one line for each tool call; empty: none" }),
  AUDIT_KEY_FILE: str({
    default: "",
    desc: "the file with the key of the audit's hashes; by default the process creates it beside the audit file",
  }),
  HEALTH_HOST: str({ default: "127.0.0.1", desc: "the address of /healthz and /readyz; loopback by default" }),
  HEALTH_PORT: port({ default: 0, desc: "a port for /healthz and /readyz of this process; 0: none" }),
  METRICS_HOST: str({ default: "127.0.0.1", desc: "the address of /metrics; loopback by default" }),
  METRICS_PORT: port({ default: 0, desc: "a port for /metrics of this process, for Prometheus; 0: none" }),
  CLOCK_SKEW_WARN_MS: integer(SKEW_WARN_MS)({
    default: SKEW_WARN_MS.default,
    desc: "how far this machine's clock and the state store's may differ, in milliseconds, before the process reports it",
  }),
  DRAIN_MS: milliseconds({ default: 25_000, desc: "how long an orderly stop of the process may take" }),
} as const;

export interface Running {
  readonly infrastructure: Infrastructure;
  /** The services by name, in the order of their start. */
  readonly services: ReadonlyMap<string, Service>;
  /** Stops the services in reverse order, then the bus and the store. Returns false if the time ran out. A second call is safe. */
  stop(): Promise<boolean>;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Replaces the infrastructure that the URLs select. Tests use it to put faults between a service and its store or bus. */
  readonly wrap?: (infrastructure: Infrastructure) => Infrastructure;
  /** Ends the wait for a store or a bus that is unavailable at the start. The start then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The `service.name` of a process with several services. */
const PROCESS = "toolbus";
const TELEMETRY_FLUSH_MS = 2000;
/** The share of the time to stop in which running handlers may finish. The rest is for the outbox and the streams, which stop later. */
const DRAIN_SHARE = 0.8;

type AnyService = ServiceDefinition<Settings>;

/**
 * Runs services in this process. It reads all settings, reports all their faults together, builds the infrastructure, and starts the services in list
 * order. If a service cannot start, it stops the earlier ones and throws the error.
 */
export async function runServices(definitions: readonly AnyService[], options: RunOptions): Promise<Running> {
  const all: Settings = Object.assign({}, processSettings, ...definitions.map((d) => d.settings));
  const config = readSettings(all, options.env);
  const process = readSettings(processSettings, options.env);
  const log = createLog({
    name: definitions.map((d) => d.name).join("+"),
    level: process.LOG_LEVEL as (typeof LOG_LEVELS)[number],
    format: process.LOG_FORMAT as (typeof LOG_FORMATS)[number],
  });
  for (const { variable, meant } of unknownSettings(options.env, { known: Object.keys(all), services: definitions.map((d) => d.name) }))
    log.warn({ variable }, `${variable} is not a setting of this process and is not read${meant === null ? "" : `: was ${meant} meant?`}`);
  const monotonic = (): number => performance.now();
  const identities = await openIdentities(definitions, { config, busUrl: process.BUS_URL });
  const telemetry = await startTelemetry({
    env: options.env,
    serviceName: definitions.length === 1 ? (definitions[0]?.name ?? PROCESS) : PROCESS,
    messagingSystem: messagingSystem(process.BUS_URL),
    log,
    newKey: () => randomBytes(32).toString("base64url"),
    monotonic,
  });
  const endTelemetry = (): Promise<void> => telemetry.shutdown(Math.min(TELEMETRY_FLUSH_MS, process.DRAIN_MS / 4));
  const built = await build(process, { log, monotonic, signal: options.signal, identities }).catch(async (error: unknown) => {
    await endTelemetry();
    throw error;
  });
  const wrapped = options.wrap?.(built) ?? built;
  const storeNeed = storeReadiness(wrapped);
  const state = noticingStore(metricsAreOn() ? measuredStore(wrapped.state, monotonic) : wrapped.state);
  const infrastructure: Infrastructure = { ...wrapped, state, storeNeed, env: options.env };
  const services = new Map<string, Service>();
  const unwatch = watchClocks(log, built.clocks);
  const unready = (): readonly string[] =>
    phase === "running" ? [infrastructure.bus, ...services.values()].flatMap((part) => part.unready()) : [phase];
  const unmeasure = observeHealth({ unready, bus: infrastructure.bus, storeNeed });
  let phase: "starting" | "running" | "stopping" = "starting";
  let health: HttpServer | null = null;
  let stopping: Promise<boolean> | null = null;
  const running: Running = {
    infrastructure,
    services,
    stop: () =>
      (stopping ??= stopWithin(process.DRAIN_MS, () => {
        phase = "stopping";
        unwatch();
        unmeasure();
        return stopAll(infrastructure, services, {
          losses: built.losses,
          health: async () => health?.stop(),
          telemetry: endTelemetry,
        });
      })),
  };
  try {
    if (process.HEALTH_PORT !== 0) {
      health = await startHealthServer({
        host: process.HEALTH_HOST,
        port: process.HEALTH_PORT,
        unready,
        needs: [storeNeed],
        clocks: built.clocks,
        warnings: () => infrastructure.bus.warnings?.() ?? [],
        monotonic,
        log,
      });
    }
    for (const definition of definitions) {
      const { name: service } = definition;
      const bus = tracedBus(infrastructure.bus, {
        service,
        system: messagingSystem(process.BUS_URL),
        clock: infrastructure.clock,
        monotonic,
      });
      const identity = identities.of(service);
      services.set(service, await definition.start({ ...infrastructure, bus, identity, log: log.child({ service }) }, config));
    }
    phase = "running";
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

type Config = SettingsOf<typeof processSettings>;

async function build(
  config: Config,
  parts: Pick<Infrastructure, "log" | "monotonic"> & { readonly signal: AbortSignal | undefined; readonly identities: Identities },
): Promise<Infrastructure & { readonly losses: StoreLosses; readonly clocks: StoreClock }> {
  const { log, monotonic, signal, identities } = parts;
  const time = storeClock({ wall: () => Date.now(), monotonic, skewWarnMs: config.CLOCK_SKEW_WARN_MS });
  const clock = time.now;
  const random = drawnRandom();
  const trusted = await openTrustedKeys(config, { own: identities.publicKeys, listed: identities.listed, monotonic, log });
  const identity = identities.ofProcess;
  const losses = storeLosses({
    onLoss: (loss) => recordStoreLoss(log, loss),
    onReportFailed: (error) => recordUnreportedLoss(log, error),
  });
  const state = await openState(config, { log, time, losses, signal });
  try {
    const connecting = connectBus(config.BUS_URL, { clock, log, drainMs: config.DRAIN_MS * DRAIN_SHARE });
    const bus = await untilAborted(connecting, signal, (late) => late.close());
    losses.reportBy(async (found) => {
      const id = Buffer.from(random(8)).toString("hex");
      return bus.publish(await signMessage(rollbackMessage({ losses: [...found], source: PROCESS, id, now: clock() }), identity));
    });
    return {
      bus,
      local: new Map(),
      state,
      losses,
      log,
      identity,
      embedded: isEmbedded(config.BUS_URL),
      trusted,
      random,
      monotonic,
      clock,
      clocks: time,
    };
  } catch (error) {
    await state.close();
    throw error;
  }
}

async function openState(
  { STATE_URL, STATE_DURABILITY }: Config,
  parts: Pick<Infrastructure, "log"> & {
    readonly time: StoreClock;
    readonly losses: StoreLosses;
    readonly signal: AbortSignal | undefined;
  },
): Promise<StateStore> {
  const { log, time, losses, signal } = parts;
  try {
    return await connectState(STATE_URL, {
      clock: time.now,
      time,
      ...(STATE_DURABILITY === "required" || STATE_DURABILITY === "relaxed" ? { durability: STATE_DURABILITY } : {}),
      warn: (sentence) => log.warn({}, sentence),
      onRollback: losses.onRollback,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (error instanceof StoreUnavailable) signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Waits for a store or a bus to open. Rejects with the signal's reason if the signal aborts first. If the store or the bus opens later, it is closed.
 */
async function untilAborted<T>(opening: Promise<T>, signal: AbortSignal | undefined, close: (late: T) => Promise<void>): Promise<T> {
  if (!signal) return opening;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    reject(signal.reason);
    opening.then(close).catch(() => undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([opening, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

interface Rest {
  readonly losses: StoreLosses;
  readonly health: () => Promise<void>;
  readonly telemetry: () => Promise<void>;
}

/** Stops every part, even if an earlier one fails, because the store's lock must not outlive the services. The health port closes after the store. */
async function stopAll({ bus, state, log }: Infrastructure, services: ReadonlyMap<string, Service>, rest: Rest): Promise<void> {
  const stops = [...services].map(([name, service]) => ({ name, stop: () => service.stop() })).toReversed();
  for (const { name, stop } of [
    ...stops,
    { name: "bus", stop: () => bus.close() },
    // The losses stop after the bus, so that no pending report delays the stop.
    { name: "losses", stop: rest.losses.stop },
    { name: "state", stop: () => state.close() },
    { name: "health", stop: rest.health },
    { name: "telemetry", stop: rest.telemetry },
  ]) {
    try {
      await stop();
    } catch (error) {
      log.error({ error, part: name }, "a part of the process did not stop cleanly");
    }
  }
}

async function stopWithin(ms: number, stop: () => Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const ended = await Promise.race([stop().then(() => true), late]);
  clearTimeout(timer);
  return ended;
}
