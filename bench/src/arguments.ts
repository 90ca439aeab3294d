import { parseArgs } from "node:util";
import type { Benchmark } from "./benchmark.ts";

export interface BenchArguments {
  readonly benchmark: Benchmark;
  readonly json: boolean;
  /** How long each row is measured. */
  readonly seconds: number;
  readonly help: boolean;
}

export const BENCH_HELP = `Measures what Toolbus costs over doing the same work without it, in slices that take turns.

Usage: npm run bench -- NAME [options]

  embedded           one process: a read call, a write call with grant and ledger, a whole run
  http               the gateway: a run accepted, the first event of a stream, events to 1 and to 100 readers
  streams            1,000 readers, slow ones, and ones that never read: what they cost in memory, and the others
  telemetry          a read call and a write call with traces, metrics and logs on, against the same with telemetry off

  --seconds N        how long each row is measured, 1 to 600 (default: 10)
  --json             print one JSON document instead of a table
  --help             this text

Exit codes: 0 measured, 1 an error.
`;

const DEFAULT_SECONDS = 10;

export type ReadBenchArguments = { readonly ok: true; readonly args: BenchArguments } | { readonly ok: false; readonly message: string };

/** The flags, or one sentence for what cannot be used. */
export function benchArguments(argv: readonly string[], benchmarks: readonly Benchmark[]): ReadBenchArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed;
  const [name, ...more] = positionals;
  const known = benchmarks.map((each) => each.name).join(", ");
  const [first] = benchmarks;
  const { json = false, help = false } = values;
  if (help && first) return { ok: true, args: { benchmark: first, json, seconds: DEFAULT_SECONDS, help } };
  if (more.length > 0) return refused(`One benchmark at a time: "${more[0]}" is too many.`);
  if (name === undefined) return refused(`Name a benchmark, for example npm run bench -- embedded. There is: ${known}.`);
  const benchmark = benchmarks.find((each) => each.name === name);
  if (!benchmark) return refused(`There is no benchmark "${name}". There is: ${known}.`);
  const text = values.seconds ?? String(DEFAULT_SECONDS);
  if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > 600) return refused(`--seconds takes a whole number from 1 to 600, not "${text}".`);
  return { ok: true, args: { benchmark, json, seconds: Number(text), help } };
}

const refused = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

function parse(argv: readonly string[]) {
  const flag = { type: "boolean" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { json: flag, help: { ...flag, short: "h" }, seconds: { type: "string" } },
      strict: true,
      allowPositionals: true,
    });
    return { ok: true as const, values, positionals };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    if (/'--seconds <value>' argument/.test(message)) return refused("--seconds needs a value: see npm run bench -- --help.");
    return refused(`${message.replace(/\. To specify.*$/s, "").replace(/\.$/, "")}: see npm run bench -- --help for the flags there are.`);
  }
}
