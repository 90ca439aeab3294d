import { parseArgs } from "node:util";
import type { SeedOptions } from "../seeds/run-seed.ts";
import type { Variant } from "../world/variants.ts";

export type SimulateArguments =
  | { readonly kind: "help" }
  /** Simulates many seeds, one after another. */
  | {
      readonly kind: "seeds";
      readonly first: number;
      readonly count: number;
      readonly options: SeedOptions;
      /** Whether the report shows which places were reached. */
      readonly coverage: boolean;
      readonly jobs: number;
      readonly json: boolean;
    }
  /** Simulates one seed and prints its history. */
  | { readonly kind: "seed"; readonly seed: number; readonly options: SeedOptions; readonly json: boolean }
  /** Tries the mutants whose name contains `only`, or all if it is null. With `half`, tries only the half that this text selects. */
  | { readonly kind: "mutants"; readonly only: string | null; readonly half: string | null; readonly jobs: number; readonly json: boolean }
  /** Kills in the canonical runs whose name contains `only`, or in all if it is null. */
  | {
      readonly kind: "exhaustive";
      readonly only: string | null;
      readonly coverage: boolean;
      readonly jobs: number;
      readonly json: boolean;
    };

/**
 * This file repeats the list, so that the command can report a wrong flag before it loads the services. A test compares the list with the existing
 * variants.
 */
export const VARIANTS: readonly Variant[] = [
  "without-fallback",
  "late-messages",
  "taken-over",
  "unheard",
  "interruptions",
  "untrusted-reads",
  "changing-targets",
  "local-tools",
  "batches",
];

export const SIMULATE_HELP = `Runs the real services on virtual time, with faults at every boundary, and checks what Toolbus guarantees.

Usage: npm run simulate -- [options]

  --seeds N          how many seeds, 1 to 10000000 (default: 1000)
  --first N          the first seed (default: 1)
  --linger           faults continue for a minute after every run has ended
  --variant NAME     another world of each seed: ${VARIANTS.join(", ")}
  --seed N           one seed, and print its history
  --mutants          remove one protection after another, and check that a seed notices
  --half TEXT        with --mutants: a half of them, chosen by this text, such as a commit
  --exhaustive       kill each process at each step of the canonical runs without other faults, which takes about two hours of one processor
  --only TEXT        with --mutants or --exhaustive: the mutants or the canonical runs whose name contains this text
  --coverage         with --seeds or --exhaustive: say how often each transition and each row of the crash table was reached
  --jobs N           processes that share the work, 1 to 256 (default: one per core)
  --json             print one JSON document
  --help             this text

Exit codes: 0 everything held, 1 something did not, or an error.

Examples:
  npm run simulate -- --seeds 20000
  npm run simulate -- --seeds 2000 --linger --json
  npm run simulate -- --seeds 1000 --coverage
  npm run simulate -- --seed 1566
  npm run simulate -- --exhaustive --only "two approvers"
`;

export type ReadSimulateArguments =
  | { readonly ok: true; readonly args: SimulateArguments }
  | { readonly ok: false; readonly message: string };

const MAX_SEEDS = 10_000_000;
const DEFAULT_SEEDS = 1000;

/** Returns the flags, or one sentence about what is wrong with them. `cores` is the number of cores. */
export function simulateArguments(argv: readonly string[], cores: number): ReadSimulateArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values } = parsed;
  const { linger = false, coverage = false, json = false } = values;
  const variant = VARIANTS.find((name) => name === values.variant);
  if (values.help) return { ok: true, args: { kind: "help" } };
  const kinds = (["seeds", "seed", "mutants", "exhaustive"] as const).filter((name) => values[name] !== undefined);
  if (kinds.length > 1) return refused(`--${kinds[0]} and --${kinds[1]} exclude each other: give one of them.`);
  const [kind = "seeds"] = kinds;
  if (linger && kind !== "seeds" && kind !== "seed") return refused(`--linger goes with --seeds or --seed, not with --${kind}.`);
  if (values.variant !== undefined && kind !== "seeds" && kind !== "seed")
    return refused(`--variant goes with --seeds or --seed, not with --${kind}.`);
  if (values.variant !== undefined && variant === undefined)
    return refused(`--variant must be one of ${VARIANTS.join(", ")}, not "${values.variant.slice(0, 40)}".`);
  if (values.only !== undefined && kind !== "mutants" && kind !== "exhaustive")
    return refused(`--only goes with --mutants or --exhaustive, not with --${kind}.`);
  if (values.half !== undefined && kind !== "mutants") return refused(`--half goes with --mutants, not with --${kind}.`);
  if (coverage && kind !== "seeds" && kind !== "exhaustive")
    return refused(`--coverage goes with --seeds or --exhaustive, not with --${kind}.`);
  if (values.first !== undefined && kind !== "seeds") return refused(`--first goes with --seeds, not with --${kind}.`);
  if (values.jobs !== undefined && kind === "seed") return refused("--jobs does not go with --seed: one seed is one process.");
  const count = whole("seeds", values.seeds, { default: DEFAULT_SEEDS, most: MAX_SEEDS });
  const first = whole("first", values.first, { default: 1, most: Number.MAX_SAFE_INTEGER - MAX_SEEDS });
  const seed = whole("seed", values.seed, { default: 1, most: Number.MAX_SAFE_INTEGER });
  const jobs = whole("jobs", values.jobs, { default: cores, most: 256 });
  for (const number of [count, first, seed, jobs]) if (typeof number === "string") return refused(number);
  const numbers = { count: Number(count), first: Number(first), jobs: Number(jobs) };
  const options: SeedOptions = { linger, ...(variant === undefined ? {} : { variant }) };
  switch (kind) {
    case "seeds":
      return { ok: true, args: { kind, options, coverage, json, ...numbers } };
    case "seed":
      return { ok: true, args: { kind, seed: Number(seed), options, json } };
    case "mutants":
      return { ok: true, args: { kind, only: values.only ?? null, half: values.half ?? null, jobs: numbers.jobs, json } };
    case "exhaustive":
      return { ok: true, args: { kind, only: values.only ?? null, coverage, jobs: numbers.jobs, json } };
  }
}

/** Returns the number, or a sentence that says what it should be. */
function whole(name: string, text: string | undefined, range: { readonly default: number; readonly most: number }): number | string {
  if (text === undefined) return range.default;
  const value = Number(text);
  if (/^[1-9][0-9]{0,15}$/.test(text) && value <= range.most) return value;
  return `--${name} must be a whole number from 1 to ${range.most}, not "${text.slice(0, 40)}".`;
}

const refused = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

function parse(argv: readonly string[]) {
  const flag = { type: "boolean" } as const;
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        seeds: text,
        first: text,
        seed: text,
        jobs: text,
        variant: text,
        only: text,
        half: text,
        linger: flag,
        coverage: flag,
        mutants: flag,
        exhaustive: flag,
        json: flag,
        help: { ...flag, short: "h" },
      },
      strict: true,
    });
    return { ok: true as const, values };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const bare = /'(--[a-z]+) <value>' argument/.exec(message)?.[1];
    if (bare) return refused(`${bare} needs a number: see npm run simulate -- --help.`);
    return refused(`${message.replace(/\. To specify.*$/s, "").replace(/\.$/, "")}: see npm run simulate -- --help for the flags.`);
  }
}
