import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { CTRL_C } from "./shell-fence.ts";
import { NotAsThePageSays, openStage, type Stage } from "./stage.ts";
import { nameOf, type Step, stepsOf } from "./steps.ts";

/** The outcome of one command of a page. */
export interface Tried {
  readonly page: string;
  readonly line: number;
  readonly command: string;
  readonly outcome: "ok" | "failed" | "not run";
  readonly seconds: number;
  /** The reason why it is not run. */
  readonly why?: string;
  /** For a failed command, the output on the page. `shown` is the real output. */
  readonly expected?: string;
  readonly shown?: string;
}

/** Returns the pages whose commands are tried, by their paths from the root of the repository. */
export function pagesOf(root: string): readonly string[] {
  return ["README.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: root }).toSorted()];
}

/**
 * Runs every step of the pages, and reports each command when it has ended. Each page with a command has its own stage (`stage.ts`). An abort stops
 * the running programs, and the results so far are returned.
 */
export async function tryPages(
  root: string,
  pages: readonly string[],
  { onTried, signal }: { readonly onTried: (tried: Tried) => void; readonly signal: AbortSignal },
): Promise<readonly Tried[]> {
  const all: Tried[] = [];
  const tell = (tried: Tried): void => {
    all.push(tried);
    onTried(tried);
  };
  for (const page of pages) {
    if (signal.aborted) break;
    const read = readSteps(root, page);
    if (read.ok) await tryPage(root, page, read.steps, tell, signal);
    else tell(read.failed);
  }
  return all;
}

/** Reads the steps of a page. If a fence does not say what it is, the result is one failure for the whole page. */
function readSteps(
  root: string,
  page: string,
): { readonly ok: true; readonly steps: readonly Step[] } | { readonly ok: false; readonly failed: Tried } {
  try {
    return { ok: true, steps: stepsOf(readFileSync(path.join(root, page), "utf8")) };
  } catch (error) {
    const shown = error instanceof Error ? error.message : String(error);
    const line = Number(/in line (\d+)/.exec(shown)?.[1] ?? 1);
    const expected = "fences that say what they are";
    return { ok: false, failed: { page, line, command: "(the page itself)", outcome: "failed", seconds: 0, expected, shown } };
  }
}

async function tryPage(
  root: string,
  page: string,
  steps: readonly Step[],
  tell: (tried: Tried) => void,
  signal: AbortSignal,
): Promise<void> {
  // A page without a typed command needs no stage.
  const stage = steps.some(({ kind }) => kind === "types") ? await openStage(root) : null;
  let closed: PromiseLike<void> | null = null;
  const close = (): PromiseLike<void> | null => (closed ??= stage?.[Symbol.asyncDispose]() ?? null);
  // The stage's programs are in separate process groups, so a Ctrl-C at the terminal does not reach them.
  const leave = (): void => void close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (const step of steps) {
      if (signal.aborted) return;
      const tried = await tryStep(page, step, stage);
      if (tried && !signal.aborted) tell(tried);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    await close();
  }
}

/** Tries one step. Returns null if the step succeeded and is not a command of the reader. */
async function tryStep(page: string, step: Step, stage: Stage | null): Promise<Tried | null> {
  const begun = performance.now();
  const command = "command" in step ? step.command : nameOf(step);
  const tried = { page, line: step.line, command };
  if (step.kind === "not-run") return { ...tried, outcome: "not run", seconds: 0, why: step.why };
  const seconds = (): number => Math.round(performance.now() - begun) / 1000;
  try {
    await stage?.act(step);
    return step.kind === "types" && !step.hidden && command !== CTRL_C ? { ...tried, outcome: "ok", seconds: seconds() } : null;
  } catch (error) {
    if (error instanceof NotAsThePageSays)
      return { ...tried, outcome: "failed", seconds: seconds(), expected: error.expected, shown: error.shown };
    const shown = error instanceof Error ? error.message : String(error);
    return { ...tried, outcome: "failed", seconds: seconds(), expected: "that it can be tried", shown };
  }
}
