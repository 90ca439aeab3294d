// `npm run check`: every check that does not run the system. All steps run even if one fails, so that one look shows all
// there is to do. With --fix, the tools first write what they can fix.
import { spawn } from "node:child_process";
import path from "node:path";
import { styleText } from "node:util";

/** One command of Node: a tool's entry file and its arguments. It fails with any exit code other than 0. */
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

// The tools' own entry files, not node_modules/.bin: those are shell scripts that start whichever Node comes first in PATH.
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

/** The check that follows shows faults that a tool cannot fix, so a fix itself neither passes nor fails. */
async function fixAll(all: readonly Step[]): Promise<void> {
  for (const step of all) {
    const { seconds } = await run(step);
    console.log(line("fix ", step, seconds));
  }
}

/** Runs the steps one after another, prints one line per step, and returns how many failed. */
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

/** Never rejects: if a tool cannot start, dies or exceeds the deadline, its step fails. */
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
    // Not "close": the children of a killed tool may hold the pipes open for ever.
    child.on("exit", (_, signal) => {
      if (signal) end(false, `ended by ${signal}; a step has ${DEADLINE_MS / 1000} s`);
    });
    child.on("close", (code) => end(code === 0));
  });
}

function line(mark: string, { name }: Step, seconds: number): string {
  return `${mark} ${name.padEnd(16)} ${seconds.toFixed(1)} s`;
}
