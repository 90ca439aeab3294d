import { evalsArguments, EVALS_HELP } from "./command/arguments.ts";
import { reportOf } from "./command/report.ts";
import { compareRules } from "./scoring/compare-rules.ts";
import { missesOfTuning } from "./scoring/misses.ts";

try {
  process.exitCode = main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function main(): number {
  const read = evalsArguments(process.argv.slice(2));
  if (!read.ok) {
    process.stderr.write(`${read.message}\n`);
    return 1;
  }
  const { args } = read;
  if (args.kind === "help") {
    process.stdout.write(EVALS_HELP);
    return 0;
  }
  const comparisons = args.splits.map((split) => compareRules(split));
  const misses = args.explain ? missesOfTuning() : null;
  if (args.json) process.stdout.write(`${JSON.stringify({ comparisons, ...(misses ? { misses } : {}) }, null, 2)}\n`);
  else {
    process.stdout.write(comparisons.map((comparison) => reportOf(comparison)).join("\n"));
    if (misses) process.stdout.write(`\n${misses.length} differences of the tuning part:\n${misses.map((miss) => `  ${miss}\n`).join("")}`);
  }
  return 0;
}
