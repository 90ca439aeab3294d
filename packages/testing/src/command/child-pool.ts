import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Task, TaskDone } from "./task.ts";

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
const LOAD_MUTANT = new URL("../mutants/load-mutant.ts", import.meta.url).href;

/** Enough memory for the objects of one history, so that the garbage collector does little work. */
const YOUNG_SPACE = "--max-semi-space-size=32";

export interface PoolOptions {
  readonly jobs: number;
  /** The name of a mutant that replaces the product. */
  readonly mutant?: string;
  readonly signal: AbortSignal;
}

/**
 * Does tasks in child processes, `jobs` at a time, and passes on each result as it arrives. If the callback returns false, the pool stops early.
 * Rejects when a child dies or fails, or when the signal aborts. Kills every child before the promise settles.
 */
export async function inChildren(tasks: Iterable<Task>, options: PoolOptions, onDone: (done: TaskDone) => boolean): Promise<void> {
  const { jobs, mutant, signal } = options;
  signal.throwIfAborted();
  const queue = tasks[Symbol.iterator]();
  const children: ChildProcess[] = [];
  let goOn = true;
  const onAbort = (): void => children.forEach((child) => child.kill("SIGKILL"));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const child of children) child.kill("SIGKILL");
  }

  async function work(): Promise<void> {
    let child: ChildProcess | null = null;
    for (let next = queue.next(); goOn && !next.done; next = queue.next()) {
      child ??= start();
      const done = await ask(child, next.value, signal);
      if (goOn && !onDone(done)) goOn = false;
    }
  }

  function start(): ChildProcess {
    const execArgv = [YOUNG_SPACE, ...(mutant === undefined ? [] : ["--import", LOAD_MUTANT])];
    const child = fork(CHILD, mutant === undefined ? [] : [mutant], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    children.push(child);
    return child;
  }
}

type Answer = { readonly ok: true; readonly done: TaskDone } | { readonly ok: false; readonly message: string };

function ask(child: ChildProcess, task: Task, signal: AbortSignal): Promise<TaskDone> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(
        signal.aborted
          ? new Error("Interrupted.")
          : new Error(`A simulating process ended with ${code ?? "a signal"} in the middle of its work.`),
      );
    child.once("exit", onExit);
    child.once("message", (answer: Answer) => {
      child.off("exit", onExit);
      if (answer.ok) resolve(answer.done);
      else reject(new Error(answer.message));
    });
    child.send(task);
  });
}
