import { createHash } from "node:crypto";
import path from "node:path";
import { type Requirement, requirements } from "../requirements.ts";
import { type Arguments, HELP, readArguments } from "./arguments.ts";
import { judge } from "./judge.ts";
import { mutations } from "./mutations.ts";
import { scratchCopy } from "./scratch-copy.ts";
import type { Verdict } from "./verdict.ts";

const root = path.resolve(import.meta.dirname, "../..");
const stopping = new AbortController();
const PLANNED: Verdict = { kind: "no_mutation", why: "it is planned, so there is nothing to prove" };
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort(new Error("Interrupted.")));

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(
    `${stopping.signal.aborted ? "Interrupted; nothing was left behind." : error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function main(): Promise<number> {
  const read = readArguments(process.argv.slice(2), new Set(requirements.map(({ id }) => id)));
  if (!read.ok) {
    process.stderr.write(`${read.message}\n`);
    return 2;
  }
  if (read.args.help) return print(HELP);
  return read.args.mutate ? mutate(read.args) : show(read.args);
}

function show({ ids, json }: Arguments): number {
  const rows = chosenOf(requirements, ids).map(({ id, state, requirement }) => ({
    id,
    state,
    mutation: mutations[id]?.breaks ?? null,
    requirement,
  }));
  if (json) return print(`${JSON.stringify({ requirements: rows }, null, 2)}\n`);
  const lines = rows.map(
    ({ id, state, mutation, requirement }) =>
      `${id.padEnd(8)}${state.padEnd(12)}${(mutation === null ? "" : "mutation").padEnd(10)}${requirement.slice(0, 100)}\n`,
  );
  const metRows = rows.filter(({ state }) => state !== "planned");
  const withOne = metRows.filter(({ mutation }) => mutation !== null).length;
  return print(`${lines.join("")}\n${rows.length} requirements, ${metRows.length} met, ${withOne} of them with a mutation.\n`);
}

/** Tries the rows one after another, because many of their tests start processes. */
async function mutate({ ids, twentieth, json }: Arguments): Promise<number> {
  const metRows = requirements.filter(({ state }) => state !== "planned");
  // For each row that the user named by its id, the row is tried, or a sentence says why it cannot be tried. A met row without a mutation fails,
  // because nothing shows that its tests can fail.
  const rows = ids.length > 0 ? chosenOf(requirements, ids) : twentieth === null ? metRows : twentiethOf(metRows, twentieth);
  const results: { readonly id: string; readonly verdict: Verdict }[] = [];
  await using copy = await scratchCopy(root);
  for (const row of rows) {
    const verdict = row.state === "planned" ? PLANNED : await judge(copy, row, mutations[row.id], stopping.signal);
    results.push({ id: row.id, verdict });
    if (!json)
      print(
        `${row.id.padEnd(8)}${verdict.kind === "caught" ? `caught by "${verdict.by}"` : `FAILED  ${row.id}: ${verdict.why.replace(/\.$/, "")}.`}\n`,
      );
  }
  const caught = results.filter(({ verdict }) => verdict.kind === "caught").length;
  if (json) print(`${JSON.stringify({ tried: results.length, caught, results }, null, 2)}\n`);
  else print(`\n${caught} of ${results.length} mutations were noticed by a test that their row names.\n`);
  return caught === results.length && results.length > 0 ? 0 : 1;
}

function chosenOf(all: readonly Requirement[], ids: readonly string[]): readonly Requirement[] {
  return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
}

/** Returns a twentieth of the rows, and at least one. The same text always selects the same rows. */
function twentiethOf(rows: readonly Requirement[], text: string): readonly Requirement[] {
  const place = ({ id }: Requirement): string => createHash("sha256").update(`${text} ${id}`).digest("hex");
  return rows.toSorted((one, other) => place(one).localeCompare(place(other))).slice(0, Math.ceil(rows.length / 20));
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
