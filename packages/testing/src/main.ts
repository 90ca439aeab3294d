import { availableParallelism } from "node:os";
import { simulateArguments, SIMULATE_HELP, type SimulateArguments } from "./command/arguments.ts";
import { canonicalRuns } from "./kills/canonical-runs.ts";
import { halfOf } from "./mutants/half-of.ts";
import { mutants } from "./mutants/mutants.ts";
import { coverageText, mutantsJson, mutantsText, totalsJson, totalsText } from "./command/report.ts";
import { simulateKills, simulateMutants, type SimulateOptions, simulateSeeds, type Totals } from "./command/simulate.ts";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => stopping.abort(new Error("Interrupted; nothing was left behind.")));

try {
  process.exitCode = await main();
} catch (error) {
  const interrupted: unknown = stopping.signal.reason;
  const cause = stopping.signal.aborted ? interrupted : error;
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  const read = simulateArguments(process.argv.slice(2), availableParallelism());
  if (!read.ok) {
    process.stderr.write(`${read.message}\n`);
    return 1;
  }
  return run(read.args);
}

async function run(args: SimulateArguments): Promise<number> {
  switch (args.kind) {
    case "help":
      process.stdout.write(SIMULATE_HELP);
      return 0;
    case "seeds":
      return printed("seeds", args, await simulateSeeds(args, optionsOf(args, "seeds")));
    case "exhaustive": {
      const { only } = args;
      const runs = canonicalRuns.flatMap(({ name }, run) => (only === null || name.includes(only) ? [run] : []));
      if (runs.length === 0) {
        const names = canonicalRuns.map(({ name }) => `"${name}"`).join(", ");
        process.stderr.write(`No canonical run has "${(only ?? "").slice(0, 60)}" in its name. They are ${names}.\n`);
        return 1;
      }
      return printed("kills", args, await simulateKills(runs, optionsOf(args, "kills")));
    }
    case "mutants": {
      const part = args.half === null ? mutants : halfOf(mutants, args.half);
      const chosen = part.filter(({ name }) => args.only === null || name.includes(args.only));
      if (chosen.length === 0) {
        process.stderr.write(`No mutant has "${args.only?.slice(0, 60) ?? ""}" in its name.\n`);
        return 1;
      }
      const results = await simulateMutants(chosen, optionsOf(args, "mutants"));
      print(args.json ? json(mutantsJson(results)) : mutantsText(results));
      return results.every(({ caught }) => caught) ? 0 : 1;
    }
    case "seed":
      return oneSeed(args);
  }
}

async function oneSeed({ seed, options, json: asJson }: Extract<SimulateArguments, { kind: "seed" }>): Promise<number> {
  // Loads the services only when they are needed.
  const { historyOf, historyText } = await import("./seeds/history.ts");
  const history = await historyOf(seed, options);
  const { violations, injected, steps } = history.end;
  const faults = Object.values(injected).reduce((sum, count) => sum + count, 0);
  if (asJson) print(json({ seed, violations, faults, steps, history: history.lines }));
  else
    print(
      `${historyText(history)}Seed ${seed}: ${steps} events, ${faults} faults, ${violations.length === 0 ? "everything held" : `broken: ${violations.join("; ")}`}.\n`,
    );
  return violations.length === 0 ? 0 : 1;
}

function printed(what: "seeds" | "kills", args: { readonly json: boolean; readonly coverage: boolean }, totals: Totals): number {
  const { coverage } = totals;
  if (args.json) print(json({ ...totalsJson(what, totals), ...(args.coverage ? { coverage } : {}) }));
  else print(`${totalsText(what, totals)}${args.coverage ? coverageText(coverage) : ""}`);
  return totals.found.length === 0 && totals.missed.length === 0 ? 0 : 1;
}

function optionsOf({ jobs, json: asJson }: { readonly jobs: number; readonly json: boolean }, what: string): SimulateOptions {
  let tenths = 0;
  return {
    jobs,
    signal: stopping.signal,
    onProgress(done, of) {
      if (asJson) return;
      if (process.stderr.isTTY) {
        process.stderr.write(done >= of ? "\r\u001b[K" : `\r${done} of ${of} ${what} \u001b[K`);
        return;
      }
      // A log has no line that is written again, so it gets one after each tenth.
      const now = Math.floor((10 * done) / of);
      if (now > tenths && done < of) process.stderr.write(`${done} of ${of} ${what}\n`);
      tenths = now;
    },
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function print(text: string): void {
  process.stdout.write(text);
}
