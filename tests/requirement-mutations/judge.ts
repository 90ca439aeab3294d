import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Requirement } from "../requirements.ts";
import type { Mutation } from "./mutation.ts";
import type { ScratchCopy } from "./scratch-copy.ts";
import { type RanTest, type Verdict, verdictOf } from "./verdict.ts";

const DEADLINE_MS = 300_000;

/** Makes the mutation of a row in the copy, runs the tests that the row names, undoes it, and says whether one of them noticed. */
export async function judge(
  copy: ScratchCopy,
  { id, tests }: Requirement,
  mutation: Mutation | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!mutation) return { kind: "no_mutation", why: "it is met, and no mutation is kept for it" };
  let undo: () => Promise<void>;
  try {
    undo = await copy.apply(id, mutation);
  } catch (error) {
    return { kind: "does_not_fit", why: error instanceof Error ? error.message : String(error) };
  }
  try {
    const files = [...new Set(tests.map(({ file }) => (file.endsWith(".test.ts") ? file : (mutation.runs ?? file))))];
    return verdictOf(
      tests.map(({ name }) => name),
      await run(copy.folder, files, signal),
    );
  } finally {
    await undo();
  }
}

async function run(folder: string, files: readonly string[], signal: AbortSignal): Promise<readonly RanTest[]> {
  const report = path.join(folder, "requirement-report.json");
  await rm(report, { force: true });
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...files, "--reporter=json", `--outputFile=${report}`], {
    cwd: folder,
    stdio: "ignore",
    timeout: DEADLINE_MS,
    signal,
  });
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => resolve());
    child.once("error", reject);
  });
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) return [];
  const { testResults } = JSON.parse(text) as { testResults: readonly { readonly assertionResults: readonly RanTest[] }[] };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
