import path from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "@toolbus/runtime";
import { DEMO_HELP, demoArguments } from "./arguments.ts";

// The heavy imports wait until the first line is out: a newcomer sees at once that something happens.
const stopping = new AbortController();
let interrupted = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (++interrupted > 1) process.exit(130);
    stopping.abort(new Refusal("Interrupted. Run the same command to carry on."));
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  const { sentenceOf } = await import("@toolbus/runtime");
  process.stderr.write(`${stopping.signal.aborted ? "Interrupted. Run the same command to carry on." : sentenceOf(error)}\n`);
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  const args = demoArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(DEMO_HELP);
    return 0;
  }
  if (!args.json) process.stdout.write("Toolbus demo: an agent investigates a release; its one write waits for a person. Model: offline rules, no key needed.\n");
  const { runDemo } = await import("./run-demo.ts");
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../..");
  return runDemo(args, { root, env: process.env, input: process.stdin, output: process.stdout, signal: stopping.signal });
}
