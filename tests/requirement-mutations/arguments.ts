import { parseArgs } from "node:util";

export const HELP = `Shows what is met of the requirements, and has the tests of each row prove that they can fail.

Usage: npm run requirements -- [options] [ID…]

  --mutate       make the words of each row untrue in a copy of the repository, and see that a test that the row names fails
  --twentieth TEXT   with --mutate: a twentieth of the met rows, chosen by this text, such as a commit
  --json         print one JSON document
  --help         this text

With IDs, those rows only. Exit codes: 0 every row that was tried is proved, 1 one is not, 2 the command cannot be read.

Examples:
  npm run requirements
  npm run requirements -- --mutate B-05 K-03
  npm run requirements -- --mutate --json
`;

export interface Arguments {
  readonly help: boolean;
  readonly mutate: boolean;
  readonly twentieth: string | null;
  readonly json: boolean;
  readonly ids: readonly string[];
}

export type ReadArguments = { readonly ok: true; readonly args: Arguments } | { readonly ok: false; readonly message: string };

/** Parses the flags. Returns one sentence that names the mistake if a flag is wrong. `known` contains the existing ids. */
export function readArguments(argv: readonly string[], known: ReadonlySet<string>): ReadArguments {
  const flag = { type: "boolean", default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { mutate: flag, twentieth: { type: "string" }, json: flag, help: { ...flag, short: "h" } },
      allowPositionals: true,
    });
    const { help, mutate, json, twentieth = null } = values;
    const unknown = positionals.find((id) => !known.has(id));
    if (unknown !== undefined) return refused(`There is no requirement "${unknown.slice(0, 40)}": docs/requirements.md has them all.`);
    if (twentieth !== null && !mutate) return refused("--twentieth goes with --mutate.");
    if (twentieth !== null && positionals.length > 0) return refused("--twentieth chooses rows by itself: give it or IDs.");
    return { ok: true, args: { help, mutate, twentieth, json, ids: positionals } };
  } catch (error) {
    return refused(
      `${error instanceof Error ? (error.message.split("\n")[0] ?? "").replace(/\.$/, "") : String(error)}: see npm run requirements -- --help.`,
    );
  }
}

const refused = (message: string): ReadArguments => ({ ok: false, message });
