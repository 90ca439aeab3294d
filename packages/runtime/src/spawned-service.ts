import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isStarted } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";

export interface SpawnOptions {
  /** Its name in messages. */
  readonly name: string;
  /** A module that calls `runMain`. */
  readonly module: string | URL;
  /** Its whole environment; from this process's it gets only the place where Node keeps compiled code. */
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take to start. */
  readonly startMs?: number;
  /** Gets its standard output and error as they come; by default this process's standard error does. */
  readonly onOutput?: (text: string) => void;
  /** Aborts the start: the process is killed. */
  readonly signal?: AbortSignal;
}

/** A service in a separate process. */
export interface SpawnedService {
  readonly name: string;
  readonly pid: number;
  /** The addresses of its services that listen, by name. */
  readonly urls: Readonly<Record<string, string>>;
  /** False once it has ended. */
  readonly alive: () => boolean;
  /** Resolves with the exit code, or the signal, when it has ended for any reason. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks it to stop (SIGTERM) and waits until it has ended; kills it after `withinMs` milliseconds. Returns how it ended. */
  stop(withinMs?: number): Promise<number | NodeJS.Signals>;
  /** SIGKILL: it ends at once, whatever it does. */
  kill(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 40_000;
const KEPT_OUTPUT = 4000;

/**
 * Starts a service in a separate process; resolves when it accepts work. It ends with this process, however this one ends, because the channel between them
 * closes. Throws a `Refusal` with the last sentence that it printed if it does not start.
 */
export async function spawnService(options: SpawnOptions): Promise<SpawnedService> {
  const { name, module, env, startMs = START_MS, signal } = options;
  signal?.throwIfAborted();
  const file = typeof module === "string" && !module.startsWith("file:") ? module : fileURLToPath(module);
  const child = fork(file, {
    env: { ...compileCache(), ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Its own process group: Ctrl-C at a terminal reaches every process of the foreground group, and the parent decides when this one
    // stops.
    detached: true,
  });
  const said = outputOf(child, options.onOutput ?? ((text) => void process.stderr.write(text)));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, by) => resolve(code ?? by ?? 1));
    // It could not even be started: without a process there is no close event.
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

/** `how` is the end of a sentence; the service's last output is appended, or replaces it if it says more. */
class NotStarted extends Error {
  override readonly name = "NotStarted";
  readonly messageAfter: (last: string) => string;

  constructor(how: string, { itself }: { readonly itself: boolean }) {
    super(how);
    // A process that ended by itself has said why. One that still runs was in the middle of something.
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

/** Passes its output on, and keeps the last line: a service that cannot start ends with one sentence. */
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

/** Node names the folder of its own version, inside the given one. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
