import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isStarted } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";

export interface SpawnOptions {
  /** The name of the service in messages. */
  readonly name: string;
  /** A module that calls `runMain`. */
  readonly module: string | URL;
  /** The whole environment of the service. From this process it inherits only the folder of Node's compile cache. */
  readonly env: Readonly<Record<string, string>>;
  /** The maximum time to start, in milliseconds. */
  readonly startMs?: number;
  /** Receives the service's standard output and error as they arrive. By default they go to this process's standard error. */
  readonly onOutput?: (text: string) => void;
  /** Aborts the start and kills the process. */
  readonly signal?: AbortSignal;
}

/** A service in a separate process. */
export interface SpawnedService {
  readonly name: string;
  readonly pid: number;
  /** The addresses of the services that listen, by name. */
  readonly urls: Readonly<Record<string, string>>;
  /** Returns false after the process has ended. */
  readonly alive: () => boolean;
  /** Resolves with the exit code or the signal when the process has ended for any reason. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks the process to stop (SIGTERM) and waits for its end. Kills it after `withinMs` milliseconds. Returns the exit code or the signal. */
  stop(withinMs?: number): Promise<number | NodeJS.Signals>;
  /** Kills the process at once with SIGKILL. */
  kill(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 40_000;
const KEPT_OUTPUT = 4000;

/**
 * Starts a service in a separate process, and resolves when the service accepts work. The service ends when this process ends for any reason, because
 * the channel between them closes. If the service does not start, throws a `Refusal` with its last sentence.
 */
export async function spawnService(options: SpawnOptions): Promise<SpawnedService> {
  const { name, module, env, startMs = START_MS, signal } = options;
  signal?.throwIfAborted();
  const file = typeof module === "string" && !module.startsWith("file:") ? module : fileURLToPath(module);
  const child = fork(file, {
    env: { ...compileCache(), ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // The child has its own process group. Ctrl-C at a terminal reaches every process of the foreground group, but only the
    // parent may stop the child.
    detached: true,
  });
  const said = outputOf(child, options.onOutput ?? ((text) => void process.stderr.write(text)));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, by) => resolve(code ?? by ?? 1));
    // Without a process there is no close event, so an error of the spawn resolves the promise, too.
    child.once("error", () => (child.pid === undefined ? resolve(127) : undefined));
  });
  const urls = await startedWithin(child, { ended, startMs, signal }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await ended;
    throw error instanceof NotStarted ? new Refusal(`The service ${name} did not start: ${error.messageAfter(said())}`) : error;
  });
  return {
    name,
    pid: child.pid ?? 0,
    urls,
    alive: () => child.exitCode === null && child.signalCode === null,
    ended,
    async stop(withinMs = STOP_MS) {
      const late = setTimeout(() => child.kill("SIGKILL"), withinMs);
      child.kill("SIGTERM");
      const how = await ended;
      clearTimeout(late);
      return how;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The error of a service that did not start. `how` is the end of a sentence. The last output of the service is appended to it or replaces it. */
class NotStarted extends Error {
  override readonly name = "NotStarted";
  readonly messageAfter: (last: string) => string;

  constructor(how: string, { itself }: { readonly itself: boolean }) {
    super(how);
    // A process that ended by itself has printed the reason. A process that still runs has only printed its progress.
    this.messageAfter = (last) => (last === "" ? how : itself ? last : `${how} Its last output: ${last}`);
  }
}

interface StartWait {
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly startMs: number;
  readonly signal: AbortSignal | undefined;
}

async function startedWithin(child: ChildProcess, { ended, startMs, signal }: StartWait): Promise<Readonly<Record<string, string>>> {
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, string>>>();
  const onMessage = (message: unknown): void => (isStarted(message) ? resolve(message.urls) : undefined);
  const onAbort = (): void => reject(signal?.reason);
  const timer = setTimeout(() => reject(new NotStarted(`it took more than ${startMs / 1000} s.`, { itself: false })), startMs);
  child.on("message", onMessage);
  signal?.addEventListener("abort", onAbort, { once: true });
  void ended.then((how) => reject(new NotStarted(`it ended with ${how}.`, { itself: true })));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off("message", onMessage);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Forwards the child's output. Returns a function that returns its last line, in which a service that cannot start prints the reason. */
function outputOf(child: ChildProcess, onOutput: (text: string) => void): () => string {
  let kept = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT);
      onOutput(text);
    });
  }
  return () => kept.trimEnd().split("\n").at(-1) ?? "";
}

/** Returns the variable for the compile cache. Node reports a subfolder for its own version, so this function returns the parent folder. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
