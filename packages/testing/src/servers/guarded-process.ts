import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Guard } from "./guard.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** All that it is given of an environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it runs, and where crash dumps go. */
  readonly folder: string;
  /** Where all that it says is added. */
  readonly logFile: string;
}

/** A process group whose leader runs a command. It does not keep this process from ending, and ends with it. */
export interface GuardedProcess {
  readonly running: boolean;
  /** Resolves when the leader has ended. This process does not end by itself meanwhile. */
  ended(): Promise<void>;
  /** To the leader, which is what a service manager signals. */
  signal(signal: NodeJS.Signals): void;
  /** To the group: what cannot be caught must reach those too that the leader started. */
  signalAll(signal: NodeJS.Signals): void;
}

// It waits for a line before it becomes the command, and ends when this process does before that. So no command ever runs unguarded.
const GATE = 'read -r go && exec "$0" "$@"';

export async function startGuarded(command: Command, guard: Guard): Promise<GuardedProcess> {
  const log = openSync(command.logFile, "a");
  const child = spawn("/bin/sh", ["-c", GATE, command.program, ...command.args], {
    cwd: command.folder,
    env: { ...command.env },
    detached: true,
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  if (child.pid === undefined) await once(child, "spawn");
  const pid = child.pid ?? 0;
  child.unref();
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve())).then(() => guard.forget(pid).catch(() => undefined));
  await guard.watch(pid);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end("go\n");
  return {
    get running() {
      return isRunning(child);
    },
    async ended() {
      child.ref();
      await gone;
    },
    signal: (signal) => void child.kill(signal),
    signalAll: (signal) => {
      if (isRunning(child)) process.kill(-pid, signal);
    },
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
