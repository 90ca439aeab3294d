import { availableParallelism } from "node:os";
import { BENCH_HELP, benchArguments } from "./arguments.ts";
import { benchmarks } from "./benchmarks.ts";
import type { Stopwatch } from "./paired-slices.ts";

const INTERRUPTED = "Interrupted; nothing was left behind.";

const stopping = new AbortController();
let interrupted = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (++interrupted > 1) process.exit(130);
    stopping.abort(new Error(INTERRUPTED));
  });
}

const stopwatch: Stopwatch = {
  now: () => performance.now(),
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(
    `${stopping.signal.aborted ? INTERRUPTED : `The benchmark failed: ${error instanceof Error ? error.message : String(error)}`}\n`,
  );
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  const read = benchArguments(process.argv.slice(2), benchmarks, process.env);
  if (!read.ok) {
    process.stderr.write(`${read.message}\n`);
    return 1;
  }
  const { args } = read;
  if (args.help) {
    process.stdout.write(BENCH_HELP);
    return 0;
  }
  const machine = { node: process.versions.node, cpus: availableParallelism() };
  if (!args.json)
    process.stdout.write(`${args.benchmark.summary}\nNode ${machine.node}, ${machine.cpus} cores, ${args.seconds} s a row.\n\n`);
  const {
    rows,
    table,
    notes = [],
  } = await args.benchmark.run({ seconds: args.seconds, stopwatch, signal: stopping.signal }, args.requests);
  const said = notes.length > 0 ? `\n${notes.join("\n")}\n` : "";
  process.stdout.write(args.json ? `${JSON.stringify({ machine, rows, ...(said ? { notes } : {}) }, null, 2)}\n` : `${table}${said}`);
  return 0;
}
