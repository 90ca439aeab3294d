import { setTimeout as wait } from "node:timers/promises";
import { greet } from "./greet.ts";
import type { NatsOptions } from "./nats-recipe.ts";
import type { RabbitmqOptions } from "./rabbitmq-recipe.ts";
import type { RedisOptions } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";
import { parseServerUrl, withoutPassword } from "./server-url.ts";
import type { TestServer } from "./test-server.ts";

/** What each kind can be asked for. */
export interface PrivateServerOptions {
  readonly redis: RedisOptions;
  readonly rabbitmq: RabbitmqOptions;
  readonly nats: NatsOptions;
}

/**
 * A server of one's own, on a free port of this machine and with its own data, to be stopped, killed, paused and started again: address and data
 * stay. It ends with this process, also when that is killed, and its data goes with it. Its methods are called one after the other.
 */
export interface PrivateServer extends TestServer, AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** RabbitMQ's management over HTTP, with its login, if it was asked for. */
  readonly managementUrl: string | null;
  /** Resolves when it answers again; at once if it runs. Rejects after a minute, or with the end of its log when it ends before. */
  start(signal?: AbortSignal): Promise<void>;
  /** Asks it to end (SIGTERM) and waits until it has. One that has not after 30 s is killed. */
  stop(): Promise<void>;
  /** SIGKILL to all of it; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open and nobody answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Runs the server's own program for operators (`rabbitmqctl`) with these arguments and gives what it printed. Rejects when it fails, and where the server has none. */
  control(args: readonly string[]): Promise<string>;
  /** Kills it and removes its data. Safe twice; nothing else may follow. Disposing of it does the same. */
  remove(): Promise<void>;
}

/** What carries a server: processes, or a container. */
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

/** Starts what the carrier carries. When that fails, the carrier is removed. */
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

/** Gives the version. There is no signal from outside that a server is ready but its answer. */
async function untilItAnswers(kind: ServerKind, carrier: Carrier, signal?: AbortSignal): Promise<string> {
  const { name } = serverKinds[kind];
  const deadline = AbortSignal.any([AbortSignal.timeout(START_MS), ...(signal ? [signal] : [])]);
  for (;;) {
    const greeting = await greet(kind, carrier.url, AbortSignal.any([deadline, AbortSignal.timeout(GREETING_MS)]));
    // Looked at after the answer: what answered may be a stranger who took the port.
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
