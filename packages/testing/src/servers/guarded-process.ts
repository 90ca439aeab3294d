import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Guard } from "./guard.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** The working directory, into which the process also writes crash dumps. */
  readonly folder: string;
  /** The file that receives all output. */
  readonly logFile: string;
}

/** A process group whose leader executes a command. It does not keep this process alive, and it ends with this process. */
export interface GuardedProcess {
  readonly running: boolean;
  /** Resolves when the leader has exited. Until then, this process stays alive. */
  ended(): Promise<void>;
  /** Sends a signal to the leader, as a service manager does. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal to the whole group. A signal that cannot be caught must also reach the leader's children. */
  signalAll(signal: NodeJS.Signals): void;
}

// The shell waits for a line before it becomes the command, and exits if this process ends first. So no command is ever unguarded.
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
