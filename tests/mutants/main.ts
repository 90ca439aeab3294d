import { spawn } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { halfOf } from "@toolbus/testing";
import type { TestMutant } from "./test-mutant.ts";
import { testMutants } from "./test-mutants.ts";

const HELP = `Takes one check after the other out of the product and runs the tests that have to fail then.

Usage: npm run mutants [-- --only NAME] [-- --half TEXT] [-- --json]

  --only NAME   one mutant
  --half TEXT   a half of the mutants, chosen by this text, such as a commit
  --json        one document: {"mutants": [{"name", "caught"}]}
  --help        this text

Exits with 1 when a mutant is not caught.
`;

const root = path.resolve(import.meta.dirname, "../..");
const DEADLINE_MS = 120_000;
const AT_ONCE = 2;

process.exitCode = await main();

async function main(): Promise<number> {
  let given: { readonly only?: string; readonly half?: string; readonly json?: boolean; readonly help?: boolean };
  try {
    given = parseArgs({
      options: { only: { type: "string" }, half: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  if (given.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const chosen = given.half === undefined ? testMutants : halfOf(testMutants, given.half);
  const wanted = chosen.filter(({ name }) => given.only === undefined || name === given.only);
  if (wanted.length === 0) {
    process.stderr.write(`There is no mutant "${given.only}". Known: ${testMutants.map(({ name }) => name).join(", ")}.\n`);
    return 2;
  }
  const results: { readonly name: string; readonly caught: boolean }[] = [];
  const waiting = [...wanted];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const caught = await isCaught(mutant);
        results.push({ name: mutant.name, caught });
        if (!given.json) process.stdout.write(`${caught ? "caught" : "MISSED"}  ${mutant.name}: ${mutant.breaks}\n`);
      }
    }),
  );
  const caught = results.filter((result) => result.caught).length;
  process.stdout.write(given.json ? `${JSON.stringify({ mutants: results })}\n` : `\n${caught} of ${results.length} mutants caught\n`);
  return caught === results.length ? 0 : 1;
}

/** Returns whether a test fails with this mutant. In that case vitest exits with 1. A mutant that cannot be loaded is not caught. */
async function isCaught(mutant: TestMutant): Promise<boolean> {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "mutant-"));
  const report = path.join(folder.path, "report.json");
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const child = spawn(process.execPath, [vitest, "run", "--config", "tests/mutants/vitest.config.ts", ...reporting], {
    cwd: root,
    env: { ...process.env, TEST_MUTANT: mutant.name },
    stdio: "ignore",
    timeout: DEADLINE_MS,
  });
  await new Promise((resolve) => child.once("close", resolve));
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) return false;
  const { numFailedTests, numPassedTests } = JSON.parse(text) as { numFailedTests: number; numPassedTests: number };
  // If a file cannot be loaded at all, no test has failed. Without this check, a syntax error in the mutant would look like a caught mutant.
  return numFailedTests > 0 && numPassedTests > 0;
}
