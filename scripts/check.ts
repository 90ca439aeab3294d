// `npm run check`: every check that does not start the system. All steps are executed even if one fails, so one run shows everything that must be
// fixed. With --fix, the tools first fix what they can.
import { spawn } from "node:child_process";
import path from "node:path";
import { styleText } from "node:util";

/** One Node command: a tool's entry file and its arguments. The step fails if the exit code is not 0. */
interface Step {
  readonly name: string;
  readonly command: readonly [entry: string, ...args: string[]];
}

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
}

const DEADLINE_MS = 5 * 60_000;
const root = path.dirname(import.meta.dirname);

// The steps use the tools' own entry files. The files in node_modules/.bin are shell scripts that start the first Node in the PATH.
const oxfmt = "node_modules/oxfmt/bin/oxfmt";
const oxlint = "node_modules/oxlint/bin/oxlint";
const vitest = "node_modules/vitest/vitest.mjs";

const fixes: readonly Step[] = [
  { name: "lint, fixed", command: [oxlint, "--type-aware", "--fix", "--quiet"] },
  { name: "docs, written", command: ["scripts/docs.ts"] },
  { name: "format, written", command: [oxfmt, "."] },
];

const steps: readonly Step[] = [
  { name: "format", command: [oxfmt, "--check", "."] },
  { name: "lint", command: [oxlint, "--type-aware", "--deny-warnings"] },
  { name: "types", command: ["node_modules/typescript/bin/tsc", "-p", "."] },
  { name: "dead code", command: ["node_modules/knip/bin/knip.js", "--no-progress"] },
  { name: "docs", command: ["scripts/docs.ts", "--check"] },
  { name: "architecture", command: [vitest, "run", "--project", "unit", "tests/architecture.test.ts"] },
  { name: "wording", command: [vitest, "run", "--project", "unit", "tests/wording.test.ts"] },
];

const unknown = process.argv.slice(2).filter((argument) => argument !== "--fix");
if (unknown.length > 0) {
  console.error(`Unknown option ${unknown.join(" ")}. Usage: npm run check, or npm run fix`);
  process.exit(2);
}
if (process.argv.includes("--fix")) await fixAll(fixes);
process.exitCode = (await checkAll(steps)) === 0 ? 0 : 1;

/** Executes every fix and ignores its exit code. The check that follows reports the faults that remain. */
async function fixAll(all: readonly Step[]): Promise<void> {
  for (const step of all) {
    const { seconds } = await run(step);
    console.log(line("fix ", step, seconds));
  }
}

/** Executes the steps one after another, prints one line per step, and returns how many steps failed. */
async function checkAll(all: readonly Step[]): Promise<number> {
  const failed: string[] = [];
  for (const step of all) {
    const outcome = await run(step);
    console.log(line(outcome.ok ? styleText("green", "ok  ") : styleText("red", "FAIL"), step, outcome.seconds));
    if (outcome.ok) continue;
    failed.push(step.name);
    console.log(`${outcome.output.replaceAll(/^/gm, "     ")}\n`);
  }
  const hint = failed.some((name) => ["format", "lint", "docs"].includes(name)) ? ' "npm run fix" fixes what a tool can fix.' : "";
  console.log(
    failed.length === 0
      ? `\n${all.length} checks passed`
      : `\n${failed.length} of ${all.length} checks failed: ${failed.join(", ")}.${hint}`,
  );
  return failed.length;
}

/** Executes a step. Never rejects: if a tool cannot start, dies or exceeds the deadline, the step fails. */
function run({ command }: Step): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(process.execPath, [...command], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (ok: boolean, note = "") => {
      const output = `${Buffer.concat(chunks).toString("utf8")}${note}`.trim();
      resolve({ ok, output, seconds: (performance.now() - start) / 1000 });
    };
    child.on("error", (error) => end(false, error.message));
    // The code waits for "exit" and not for "close", because "close" may never happen: the children of a killed tool may hold the pipes open.
    child.on("exit", (_, signal) => {
      if (signal) end(false, `ended by ${signal}; a step has ${DEADLINE_MS / 1000} s`);
    });
    child.on("close", (code) => end(code === 0));
  });
}

function line(mark: string, { name }: Step, seconds: number): string {
  return `${mark} ${name.padEnd(16)} ${seconds.toFixed(1)} s`;
}
