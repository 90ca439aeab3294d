import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Conditions } from "../benchmark.ts";
import { type Paired, pairedSlices } from "../paired-slices.ts";
import { type Row, rowOf } from "../row.ts";
import type { Contest } from "./contest.ts";
import { fullRun } from "./full-run.ts";
import { readCall } from "./read-call.ts";
import { writeCall } from "./write-call.ts";

const CONTESTS: readonly {
  readonly name: string;
  readonly sliceMs: number;
  open(directory: string, signal: AbortSignal): Promise<Contest>;
}[] = [
  { name: "read call", sliceMs: 250, open: () => readCall() },
  { name: "write call", sliceMs: 250, open: (directory) => writeCall(directory) },
  { name: "run", sliceMs: 1000, open: fullRun },
];

/** Measures the embedded form: a read call, a write call and a whole run, each against the same work without Toolbus. */
export async function embedded(conditions: Conditions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const contest of CONTESTS) rows.push(rowOf(contest.name, await measured(contest, conditions)));
  return rows;
}

async function measured({ open, sliceMs }: (typeof CONTESTS)[number], conditions: Conditions): Promise<Paired> {
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  try {
    const contest = await open(directory, conditions.signal);
    try {
      return await pairedSlices({ ...contest, ...conditions, sliceMs });
    } finally {
      await contest.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
