import { setTimeout as wait } from "node:timers/promises";
import { greet } from "./greet.ts";
import type { NatsOptions } from "./nats-recipe.ts";
import type { RabbitmqOptions } from "./rabbitmq-recipe.ts";
import type { RedisOptions } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";
import { parseServerUrl, withoutPassword } from "./server-url.ts";
import type { TestServer } from "./test-server.ts";

/** The options of each kind. */
export interface PrivateServerOptions {
  readonly redis: RedisOptions;
  readonly rabbitmq: RabbitmqOptions;
  readonly nats: NatsOptions;
}

/**
 * A private server, on a free port of this machine and with its own data, which can be stopped, killed, paused and started again with the same
 * address and data. It ends with this process, even if that is killed, and its data is removed with it. Call its methods one after another.
 */
export interface PrivateServer extends TestServer, AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** RabbitMQ's management over HTTP, with its login, if requested. */
  readonly managementUrl: string | null;
  /** Resolves when it answers again, or at once if it runs. Rejects after a minute, or with the end of its log if it ends before. */
  start(signal?: AbortSignal): Promise<void>;
  /** Asks it to end (SIGTERM) and waits until it has. If it has not after 30 s, it is killed. */
  stop(): Promise<void>;
  /** SIGKILL to all of it. Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open and nobody answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Runs the server's own program for operators (`rabbitmqctl`) with these arguments and returns its output. Rejects if it fails, or if the server
   * has none.
   */
  control(args: readonly string[]): Promise<string>;
  /** Kills it and removes its data. Safe to call twice; call nothing else afterwards. Disposing of it does the same. */
  remove(): Promise<void>;
}

/** What runs a server: processes, or a container. */
export interface Carrier {
  readonly source: "private" | "container";
  readonly url: string;
  readonly managementUrl: string | null;
  /** Whether the server runs, answering or not. */
  alive(): Promise<boolean>;
  /** Starts the server and does not wait until it answers. */
  begin(): Promise<void>;
  stop(graceMs: number): Promise<void>;
  kill(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  control(args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
  /** The end of its log. */
  lastWords(): Promise<string>;
}

const START_MS = 60_000;
const STOP_MS = 30_000;
const GREETING_MS = 5_000;
const BETWEEN_GREETINGS_MS = 50;

/** Starts the server of this carrier. If that fails, the carrier is removed. */
export async function privateServer(kind: ServerKind, carrier: Carrier, signal?: AbortSignal): Promise<PrivateServer> {
  const address = parseServerUrl(kind, carrier.url);
  if ("problem" in address) throw new Error(address.problem);
  const { host, port } = address;
  const start = async (stop?: AbortSignal): Promise<string> => {
    if (!(await carrier.alive())) await carrier.begin();
    return untilItAnswers(kind, carrier, stop);
  };
  try {
    const version = await start(signal);
    const { url, source, managementUrl } = carrier;
    return {
      kind,
      url,
      source,
      version,
      host,
      port,
      managementUrl,
      described: `${serverKinds[kind].name} ${version} at ${withoutPassword(url)}, started for these tests${source === "container" ? " in a container" : ""}`,
      start: async (stop) => void (await start(stop)),
      stop: () => carrier.stop(STOP_MS),
      kill: () => carrier.kill(),
      pause: () => carrier.pause(),
      resume: () => carrier.resume(),
      control: (args) => carrier.control(args),
      remove: () => carrier.remove(),
      [Symbol.asyncDispose]: () => carrier.remove(),
    };
  } catch (error) {
    await carrier.remove();
    throw error;
  }
}

/** Returns the version. Only an answer shows from outside that a server is ready. */
async function untilItAnswers(kind: ServerKind, carrier: Carrier, signal?: AbortSignal): Promise<string> {
  const { name } = serverKinds[kind];
  const deadline = AbortSignal.any([AbortSignal.timeout(START_MS), ...(signal ? [signal] : [])]);
  for (;;) {
    const greeting = await greet(kind, carrier.url, AbortSignal.any([deadline, AbortSignal.timeout(GREETING_MS)]));
    // Checked after the answer: a stranger who took the port may have answered.
    if (!(await carrier.alive())) throw new Error(`${name} ended before it answered. Its last words: ${await carrier.lastWords()}`);
    if (greeting.ok && (await managementAnswers(carrier, deadline))) return greeting.version;
    signal?.throwIfAborted();
    if (deadline.aborted)
      throw new Error(`${name} did not answer within ${START_MS / 1000} s: ${greeting.ok ? "its management" : greeting.why}`);
    await wait(BETWEEN_GREETINGS_MS);
  }
}

async function managementAnswers({ managementUrl }: Carrier, signal: AbortSignal): Promise<boolean> {
  if (managementUrl === null) return true;
  const { origin } = new URL(managementUrl);
  return fetch(origin, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
