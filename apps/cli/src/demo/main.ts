import path from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../toolbus/failure.ts";
import { demoArguments } from "./arguments.ts";
import { DEMO_HELP } from "./flags.ts";
import { headline, nextRun } from "./headline.ts";

const read = demoArguments(process.argv.slice(2));
const INTERRUPTED = `Interrupted.${read.ok ? ` ${nextRun(read.args)}` : ""}`;

// Large modules are imported after the first line of output, so that a new user sees at once that something happens.
const stopping = new AbortController();
let interrupted = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (++interrupted > 1) process.exit(130);
    stopping.abort(new Error(INTERRUPTED));
  });
}
// The parent process has exited, so nobody can forward a signal to this process any more.
process.once("disconnect", () => stopping.abort(new Error(INTERRUPTED)));
process.channel?.unref();

try {
  process.exitCode = await main();
} catch (error) {
  const { sentenceOf } = await import("@toolbus/runtime");
  process.stderr.write(`${stopping.signal.aborted ? INTERRUPTED : error instanceof Failure ? error.message : sentenceOf(error)}\n`);
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  if (!read.ok) {
    process.stderr.write(`${read.message}\n`);
    return 1;
  }
  const { args } = read;
  if (args.help) {
    process.stdout.write(DEMO_HELP);
    return 0;
  }
  if (!args.json) process.stdout.write(`${headline(args)}\n`);
  const [demo, { warnOfUnknownVariables }] = await Promise.all([
    args.orders === null ? import("./run-demo.ts") : import("../orders-demo/run-orders-demo.ts"),
    import("../toolbus/unknown-variables.ts"),
  ]);
  await warnOfUnknownVariables(process, "models");
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../..");
  // npm runs scripts in the project's folder, but a typed path is relative to the user's own folder.
  const cwd = process.env["INIT_CWD"] ?? process.cwd();
  return demo.runDemo(args, { root, cwd, env: process.env, input: process.stdin, output: process.stdout, signal: stopping.signal });
}
