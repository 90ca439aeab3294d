import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Requirement } from "../requirements.ts";
import type { Mutation } from "./mutation.ts";
import type { ScratchCopy } from "./scratch-copy.ts";
import { type RanTest, type Verdict, verdictOf } from "./verdict.ts";

const DEADLINE_MS = 300_000;

/**
 * Applies the mutation of a row to the copy, runs the tests that the row names, and undoes the mutation. Returns whether one of these tests noticed
 * the mutation.
 */
export async function judge(
  copy: ScratchCopy,
  { id, tests: named }: Requirement,
  mutation: Mutation | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!mutation) return { kind: "no_mutation", why: "it is met, and no mutation is kept for it" };
  const tests = named.filter(({ file }) => !mutation.without?.includes(file));
  let undo: () => Promise<void>;
  try {
    undo = await copy.apply(id, mutation);
  } catch (error) {
    return { kind: "does_not_fit", why: error instanceof Error ? error.message : String(error) };
  }
  try {
    const files = [...new Set(tests.map(({ file }) => (file.endsWith(".test.ts") ? file : (mutation.runs ?? file))))];
    const ran = await run(copy.folder, files, signal);
    signal.throwIfAborted();
    if (ran === "late")
      return { kind: "not_caught", why: `its tests did not end within ${DEADLINE_MS / 1000} s: take a mutation that they end with` };
    return verdictOf(
      tests.map(({ name }) => name),
      ran,
    );
  } finally {
    await undo();
  }
}

async function run(folder: string, files: readonly string[], signal: AbortSignal): Promise<readonly RanTest[] | "late"> {
  const report = path.join(folder, "requirement-report.json");
  await rm(report, { force: true });
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...files, "--reporter=json", `--outputFile=${report}`], {
    cwd: folder,
    stdio: "ignore",
    timeout: DEADLINE_MS,
    // If a mutation makes a process loop forever, only SIGKILL stops that process.
    killSignal: "SIGKILL",
    signal,
  });
  const by = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once("close", (_code, signalled) => resolve(signalled));
    child.once("error", (error) => (signal.aborted ? resolve("SIGKILL") : reject(error)));
  });
  if (by !== null) return "late";
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) return [];
  const { testResults } = JSON.parse(text) as { testResults: readonly { readonly assertionResults: readonly RanTest[] }[] };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
