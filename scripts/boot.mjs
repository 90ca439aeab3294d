// The single entry point: `npm run <task>` on any Node >= 20. This file is plain JavaScript without dependencies, because nothing is installed when
// it starts. If the lockfile changed, it installs the dependencies with the pinned pnpm. Then it starts the task on Node 24. It uses the system's own
// Node if that is new enough, and otherwise the Node of an npm package. It does not install with npm, because npm on Node 20 would silently choose
// older major versions.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath, pathToFileURL } from "node:url";

const PNPM = "12.21.0";
const WANT = 24;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const at = (...parts) => path.join(root, ...parts);
const read = (file) => (existsSync(at(file)) ? readFileSync(at(file), "utf8") : "");

const env = { ...process.env, PATH: at("node_modules", ".bin") + path.delimiter + process.env.PATH };
// The settings of npm itself must not reach pnpm and the task. Only the settings for the registry are passed on.
const fromNpm = (name) => /^npm_(config|lifecycle|package)_/i.test(name) && !/registry|cafile|proxy|cache|userconfig/i.test(name);
for (const name of Object.keys(env)) if (fromNpm(name)) delete env[name];
// Node caches its compiled TypeScript in this folder. The cache halves the processor time of every later start.
env.NODE_COMPILE_CACHE ??= at("node_modules", ".cache", "node");

// At a terminal, Ctrl-C sends SIGINT to every foreground process, including the child. If this process also forwarded the signal, the child would
// receive it twice.
const atTerminal = [0, 1, 2].some((fd) => isatty(fd));

/**
 * Executes a command and returns its exit code. Forwards SIGINT and SIGTERM, because npm does not forward them. With `tied`, the command has a
 * channel to this process. The channel closes when this process exits, even after a SIGKILL, and then the command stops.
 */
function run(command, args, { shell = false, cwd = root, more = {}, tied = false } = {}) {
  return new Promise((resolve) => {
    const stdio = tied ? ["inherit", "inherit", "inherit", "ipc"] : "inherit";
    const child = spawn(command, args, { cwd, stdio, env: { ...env, ...more }, shell });
    const forward = (signal) => (signal === "SIGINT" && atTerminal ? true : child.kill(signal));
    process.on("SIGINT", forward).on("SIGTERM", forward);
    child.on("error", (error) => {
      console.error(`[boot] cannot run ${command}: ${error.message}`);
      resolve(127);
    });
    child.on("exit", (code, signal) => {
      process.off("SIGINT", forward).off("SIGTERM", forward);
      resolve(signal ? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1) : (code ?? 1));
    });
  });
}

async function install() {
  const inputs = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"].map(read);
  const key = createHash("sha256")
    .update([PNPM, process.platform, process.arch, ...inputs].join("\0"))
    .digest("hex");
  const stamp = at("node_modules", ".boot");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  console.error(`[boot] Node ${process.version}: installing dependencies with pnpm ${PNPM} (only when the lockfile changed)`);
  const code = await run(
    "npx",
    ["-y", `pnpm@${PNPM}`, "install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only", "--loglevel=error"],
    { shell: windows },
  );
  if (code !== 0) {
    console.error("[boot] the install failed. Behind a proxy? Set HTTPS_PROXY, or the registry in ~/.npmrc, and run the command again.");
    process.exit(code);
  }
  writeFileSync(stamp, key);
}

function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= WANT) return process.execPath;
  const bin = at("node_modules", `node-${windows ? "win" : process.platform}-${process.arch}`, "bin", windows ? "node.exe" : "node");
  return existsSync(bin) ? realpathSync(bin) : null;
}

/**
 * Starts the command line in its user's directory and under the name that the user typed. If this Node is new enough, the command line runs in this
 * process, because a second process would slow every start. It then handles signals and the terminal itself.
 */
async function toolbus(node, args) {
  const entry = at("apps/cli/src/toolbus/main.ts");
  const byNpm = process.env.npm_lifecycle_event === "toolbus";
  const cwd = byNpm ? (process.env.INIT_CWD ?? process.cwd()) : process.cwd();
  const more = { TOOLBUS_TYPED: byNpm ? "npm run toolbus --" : (process.env.TOOLBUS_TYPED ?? "toolbus") };
  if (node !== process.execPath) process.exit(await run(node, [entry, ...args], { cwd, more, tied: true }));
  for (const name of Object.keys(process.env)) if (fromNpm(name)) delete process.env[name];
  Object.assign(process.env, more, { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE });
  module.enableCompileCache(env.NODE_COMPILE_CACHE);
  process.chdir(cwd);
  process.argv.splice(1, process.argv.length, entry, ...args);
  await import(pathToFileURL(entry).href);
}

const vitest = ["node_modules/vitest/vitest.mjs", "run"];
/** Each task is one or more Node commands, which are executed in order until one fails. */
const tasks = {
  demo: [["apps/cli/src/demo/main.ts"]],
  start: [["services/all-in-one/src/main.ts"]],
  test: [vitest],
  check: [["scripts/check.ts"]],
  fix: [["scripts/check.ts", "--fix"]],
  bench: [["bench/src/main.ts"]],
  simulate: [["packages/testing/src/main.ts"]],
  mutants: [["tests/mutants/main.ts"]],
  requirements: [["tests/requirement-mutations/main.ts"]],
  redteam: [["tests/redteam/main.ts"]],
  evals: [["packages/labelled-releases/src/main.ts"]],
  "prove-kubernetes": [["tests/kubernetes/prove/main.ts"]],
  docs: [["scripts/docs.ts"]],
};

const [task, ...rest] = process.argv.slice(2);
if (task !== "toolbus" && !Object.hasOwn(tasks, task ?? "")) {
  console.error(`usage: npm run <${[...Object.keys(tasks), "toolbus"].join("|")}> [-- options]`);
  process.exit(2);
}
await install();
const node = findNode();
if (!node) {
  console.error(
    `[boot] Toolbus needs Node ${WANT}: this is ${process.version}, and npm has no prebuilt Node for ${process.platform}-${process.arch}. Install Node ${WANT} from https://nodejs.org (or with fnm, nvm or brew) and run the command again.`,
  );
  process.exit(1);
}
if (task === "toolbus") await toolbus(node, rest);
if (task === "test" && rest.every((argument) => argument.startsWith("-")) && process.env.LONG_PROOFS === undefined)
  console.error("The short form of the tests. LONG_PROOFS=1 npm test runs all of them.");
// The demo proposes commands of the command line, which this checkout has as ./toolbus.
const more = task === "demo" && !windows ? { TOOLBUS_TYPED: process.env.TOOLBUS_TYPED ?? "./toolbus" } : {};
for (const [index, command] of (tasks[task] ?? []).entries()) {
  const last = index === tasks[task].length - 1;
  const code = await run(node, [...command, ...(last ? rest : [])], { more, tied: task === "start" || task === "demo" });
  if (code !== 0 || last) process.exit(code);
}
