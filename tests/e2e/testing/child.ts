import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import path from "node:path";

export interface Addresses {
  readonly gateway: string;
  readonly approvals: string;
  readonly user: string;
  readonly approver: string;
}

export interface Child {
  /** The child's address. Null if the child died before it listened. */
  readonly ready: Promise<Addresses | null>;
  /** The line in which the child announced that it would kill itself. Null if there was no such line. */
  hit(): string | null;
  readonly exited: Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stderr(): string;
}

/** Starts a script of this folder in a separate process. */
export function startChild(script: string, env: Readonly<Record<string, string>>): Child {
  const child: ChildProcess = spawn(process.execPath, [path.join(import.meta.dirname, script)], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ready = Promise.withResolvers<Addresses | null>();
  let hit: string | null = null;
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("ready ")) ready.resolve(JSON.parse(line.slice(6)) as Addresses);
      if (line.startsWith("hit ")) hit = line.slice(4);
    });
  }
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void exited.then(() => ready.resolve(null));
  return { ready: ready.promise, hit: () => hit, exited, kill: (signal) => void child.kill(signal), stderr: () => errors };
}
