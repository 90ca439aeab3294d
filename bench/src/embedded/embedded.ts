import type { Conditions } from "../benchmark.ts";
import { type ContestPlan, measured } from "../contest.ts";
import { type Row, rowOf } from "../row.ts";
import { fullRun } from "./full-run.ts";
import { readCall } from "./read-call.ts";
import { writeCall } from "./write-call.ts";

const CONTESTS: readonly (ContestPlan & { readonly name: string })[] = [
  { name: "read call", sliceMs: 250, open: () => readCall() },
  { name: "write call", sliceMs: 250, open: (directory) => writeCall(directory) },
  { name: "run", sliceMs: 1000, open: fullRun },
];

/** Measures the embedded form of Toolbus: a read call, a write call and a whole run, each against the same work without Toolbus. */
export async function embedded(conditions: Conditions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const contest of CONTESTS) rows.push(rowOf(contest.name, await measured(contest, conditions)));
  return rows;
}
