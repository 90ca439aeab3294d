import { setTimeout as wait } from "node:timers/promises";
import { greet } from "./greet.ts";
import type { NatsOptions } from "./nats-recipe.ts";
import type { RabbitmqOptions } from "./rabbitmq-recipe.ts";
import type { RedisOptions } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";
import { parseServerUrl, withoutPassword } from "./server-url.ts";
import type { TestServer } from "./test-server.ts";

/** The options for each kind of server. */
export interface PrivateServerOptions {
  readonly redis: RedisOptions;
  readonly rabbitmq: RabbitmqOptions;
  readonly nats: NatsOptions;
}

/**
 * A private server, on a free port of this machine and with its own data. A test can stop, kill, pause and restart it, with the same address and
 * data. When this process ends, even by a kill, the server ends and its data is removed. Do not call two of its methods at the same time.
 */
export interface PrivateServer extends TestServer, AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The address of RabbitMQ's management over HTTP, with its login. Null if it was not requested. */
  readonly managementUrl: string | null;
  /**
   * Starts the server, and resolves when it answers. Resolves at once if it is running. Rejects after a minute, or with the end of its log if the
   * server exits first.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Asks the server to exit (SIGTERM) and waits until it has. Kills the server after 30 s. */
  stop(): Promise<void>;
  /** Sends SIGKILL to all processes of the server. Resolves when they have exited. */
  kill(): Promise<void>;
  /** Pauses the server (SIGSTOP). Connections stay open, and nobody answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Executes the server's own program for operators (`rabbitmqctl`) with these arguments and returns its output. Rejects if the program fails, or if
   * the server has none.
   */
  control(args: readonly string[]): Promise<string>;
  /** Kills the server and removes its data, as disposing of it does. Safe to call twice. Do not use the server afterwards. */
  remove(): Promise<void>;
}

/** The means by which a server is started: processes, or a container. */
export interface Carrier {
  readonly source: "private" | "container";
  readonly url: string;
  readonly managementUrl: string | null;
  /** Returns whether the server is running, even if it does not answer. */
  alive(): Promise<boolean>;
  /** Starts the server, and does not wait until it answers. */
  begin(): Promise<void>;
  stop(graceMs: number): Promise<void>;
  kill(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  control(args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
  /** Returns the end of the server's log. */
  lastWords(): Promise<string>;
}

const START_MS = 60_000;
const STOP_MS = 30_000;
const GREETING_MS = 5_000;
const BETWEEN_GREETINGS_MS = 50;

/** Starts the server of this carrier. If the start fails, removes the carrier. */
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

/** Waits until the server answers, and returns its version. From outside, only an answer shows that a server is ready. */
async function untilItAnswers(kind: ServerKind, carrier: Carrier, signal?: AbortSignal): Promise<string> {
  const { name } = serverKinds[kind];
  const deadline = AbortSignal.any([AbortSignal.timeout(START_MS), ...(signal ? [signal] : [])]);
  for (;;) {
    const greeting = await greet(kind, carrier.url, AbortSignal.any([deadline, AbortSignal.timeout(GREETING_MS)]));
    // Checks this after the answer, because another server that took the port may have answered.
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
