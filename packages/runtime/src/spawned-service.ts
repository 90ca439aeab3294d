import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isStarted } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";

export interface SpawnOptions {
  /** Names it in sentences. */
  readonly name: string;
  /** A module that calls `runMain`. */
  readonly module: string | URL;
  /** All that it gets of an environment: of this process's only where Node keeps compiled code. */
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take to start. */
  readonly startMs?: number;
  /** Gets what it writes to standard output and error, as it comes; by default this process's standard error does. */
  readonly onOutput?: (text: string) => void;
  /** Aborts the start: the process is killed. */
  readonly signal?: AbortSignal;
}

/** A service in a process of its own. */
export interface SpawnedService {
  readonly name: string;
  readonly pid: number;
  /** The addresses of its services that listen, by name. */
  readonly urls: Readonly<Record<string, string>>;
  /** False from the moment that it has ended. */
  readonly alive: () => boolean;
  /** Resolves with the exit code, or the signal, when it has ended for whatever reason. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks it to stop (SIGTERM) and waits until it has ended; kills it after `withinMs` milliseconds. Gives how it ended. */
  stop(withinMs?: number): Promise<number | NodeJS.Signals>;
  /** SIGKILL: it ends at once, whatever it does. */
  kill(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 40_000;
const KEPT_OUTPUT = 4000;

/**
 * Starts a service in a process of its own; resolves when it takes work. It ends with this process, however this one ends, because the channel between
 * them closes. Throws a `Refusal` with the last sentence that it wrote when it does not start.
 */
export async function spawnService(options: SpawnOptions): Promise<SpawnedService> {
  const { name, module, env, startMs = START_MS, signal } = options;
  signal?.throwIfAborted();
  const file = typeof module === "string" && !module.startsWith("file:") ? module : fileURLToPath(module);
  const child = fork(file, {
    env: { ...compileCache(), ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A process group of its own: Ctrl-C at a terminal reaches every process of the group in front, and who started it says when it stops.
    detached: true,
  });
  const said = outputOf(child, options.onOutput ?? ((text) => void process.stderr.write(text)));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, by) => resolve(code ?? by ?? 1));
    // It could not even be started: there is no close without a process.
    child.once("error", () => (child.pid === undefined ? resolve(127) : undefined));
  });
  const urls = await startedWithin(child, { ended, startMs, signal }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await ended;
    throw error instanceof NotStarted ? new Refusal(`The service ${name} did not start: ${error.told(said())}`) : error;
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

/** `how` is the end of a sentence; what the service said last is put to it, or says it better. */
class NotStarted extends Error {
  override readonly name = "NotStarted";
  readonly told: (last: string) => string;

  constructor(how: string, { itself }: { readonly itself: boolean }) {
    super(how);
    // One that ended by itself has said why. One that goes on was in the middle of something.
    this.told = (last) => (last === "" ? how : itself ? last : `${how} The last that it said: ${last}`);
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

/** Hands on what it writes, and keeps the last line of it: a service that cannot start ends with one sentence. */
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

/** Node names the folder of its own version, within the one that it was given. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
