import { parseArgs } from "node:util";
import { type Split, splits } from "../scoring/compare-rules.ts";

/** What the command line asks for. */
export type EvalsArguments =
  | { readonly kind: "help" }
  | { readonly kind: "releases"; readonly splits: readonly Split[]; readonly json: boolean; readonly explain: boolean };

export type ReadEvalsArguments = { readonly ok: true; readonly args: EvalsArguments } | { readonly ok: false; readonly message: string };

export const EVALS_HELP = `Scores the offline rules against real releases with labels.

Usage: npm run evals -- releases [options]

  --split NAME       ${splits.join(" or ")} (default: both)
  --explain          also each difference from a label of the tuning part
  --json             print one JSON document, with the figures of each kind of finding
  --help             this text

"before" are the rules over release summaries, and "now" are the rules over release facts. Change rules only with the tuning part. The figures of the
held-out part are the honest ones, as long as nobody uses them to choose a rule.

Exit codes: 0 scored, 1 an error.

Examples:
  npm run evals -- releases --split tuning --explain
  npm run evals -- releases --json
`;

/** Parses the arguments. Returns one sentence that names the mistake if there is one. */
export function evalsArguments(argv: readonly string[]): ReadEvalsArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed;
  if (values.help) return { ok: true, args: { kind: "help" } };
  const [name, ...more] = positionals;
  if (name !== "releases" || more.length > 0)
    return refused(
      `Name what to score: npm run evals -- releases${name === undefined ? "" : `, not "${positionals.join(" ").slice(0, 60)}"`}.`,
    );
  const chosen = splits.filter((split) => values.split === undefined || split === values.split);
  if (chosen.length === 0) return refused(`--split must be ${splits.join(" or ")}, not "${values.split?.slice(0, 40) ?? ""}".`);
  const explain = values.explain ?? false;
  if (explain && !chosen.includes("tuning"))
    return refused("--explain shows only releases of the tuning part, so it does not go with --split held-out.");
  return { ok: true, args: { kind: "releases", splits: chosen, json: values.json ?? false, explain } };
}

function parse(argv: readonly string[]) {
  const flag = { type: "boolean" } as const;
  try {
    const options = { split: { type: "string" }, json: flag, explain: flag, help: { ...flag, short: "h" } } as const;
    return { ok: true as const, ...parseArgs({ args: [...argv], options, allowPositionals: true }) };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split(/\n|\. /)[0] ?? "") : String(error);
    return refused(`${message.replace(/\.$/, "")}: see npm run evals -- --help for the flags.`);
  }
}

function refused(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
