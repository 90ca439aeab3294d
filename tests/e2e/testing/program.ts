import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** The scripts behind `npm run demo` and `npm start`. */
export const DEMO = path.join(ROOT, "apps/cli/src/demo/main.ts");
export const START = path.join(ROOT, "services/all-in-one/src/main.ts");

/** A program under test, as a person at the terminal sees it. */
export interface Program {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first match on standard output. Rejects if the program ends or the deadline passes before the match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  type(line: string): void;
  /** Sends these characters as keys, for example those of Ctrl-C at a terminal. */
  press(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the program has ended and all of its output was read. Kills the program and rejects at the deadline. */
  ended(): Promise<Ended>;
  /** Kills the program if it still runs, so that no test leaves a process behind. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Ended {
  /** The exit code. Null if a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves standard input open, for programs that read from it. */
  readonly typedTo?: boolean;
  /**
   * Starts the program in a separate process group. A signal then reaches the program and every process that it started, as Ctrl-C at a terminal
   * does.
   */
  readonly group?: boolean;
  /** Replaces the search path of this process. */
  readonly searchPath?: string;
  /** The time limit of each wait for output or for the end. The default is two minutes, because a busy machine starts ten processes slowly. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 120_000;

/** Starts a script with this Node. The script inherits only the path from our environment. */
export function startProgram(script: string, args: readonly string[], options: ProgramOptions = {}): Program {
  return startCommand(process.execPath, [script, ...args], options);
}

/** Runs a script until it exits. */
export async function runProgram(script: string, args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return startProgram(script, args, options).ended();
}

export function startCommand(
  command: string,
  args: readonly string[],
  { env = {}, typedTo = false, group = false, searchPath = process.env["PATH"], deadlineMs = DEADLINE_MS }: ProgramOptions,
): Program {
  const child: ChildProcessWithoutNullStreams = spawn(command, args, {
    env: {
      PATH: searchPath,
      HOME: process.env["HOME"],
      // A program starts twice as fast with this cache.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...env,
    },
    detached: group,
  });
  let stdout = "";
  let stderr = "";
  let ended: Ended | null = null;
  const watchers = new Set<() => void>();
  const changed = (): void => watchers.forEach((watch) => watch());
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    changed();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    changed();
  });
  // Input may be sent to a program that has just ended. The test checks the program's exit code, so this error is ignored.
  child.stdin.on("error", () => undefined);
  if (!typedTo) child.stdin.end();
  child.once("error", (error) => {
    stderr += error.message;
  });
  child.once("close", (code, signal) => {
    ended = { code, signal, stdout, stderr };
    changed();
  });

  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    says: (pattern) =>
      until(`say ${pattern}`, () => {
        const match = pattern.exec(stdout);
        if (!match && ended) return new Error(`It ended with ${ended.code ?? ended.signal} before it said ${pattern}: ${stdout}${stderr}`);
        return match;
      }),
    type: (line) => void child.stdin.write(`${line}\n`),
    press: (keys) => void child.stdin.write(keys),
    kill,
    ended: () => until("end", () => ended),
    async [Symbol.asyncDispose]() {
      kill("SIGKILL");
      await until("die", () => ended);
    },
  };

  function kill(signal: NodeJS.Signals): void {
    if (ended) return;
    if (group && child.pid !== undefined) signalGroup(child.pid, signal);
    else child.kill(signal);
  }

  function until<T>(what: string, look: () => T | Error | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        watchers.delete(check);
        kill("SIGKILL");
        reject(new Error(`It did not ${what} within ${deadlineMs} ms: ${stdout}${stderr}`));
      }, deadlineMs);
      watchers.add(check);
      check();
      function check(): void {
        const found = look();
        if (found === null) return;
        clearTimeout(deadline);
        watchers.delete(check);
        if (found instanceof Error) reject(found);
        else resolve(found);
      }
    });
  }
}

/** The group may be gone already while the last of its output is still to be read. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns the lines that only a stack trace has. An error message for people must contain none of them. */
export function stackLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => /^\s+at /.test(line));
}
