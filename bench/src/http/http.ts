import type { Conditions } from "../benchmark.ts";
import { measured } from "../contest.ts";
import { type Row, rowOf } from "../row.ts";
import { accept, acceptInMemory } from "./accept.ts";
import { BURST, eventRate } from "./event-rate.ts";
import { firstEventOfNewRun, firstEventOfRun } from "./first-event.ts";

/** Measures the gateway's HTTP side against the same routes on bare Fastify. */
export async function http(conditions: Conditions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, pieces, ...contest } of CONTESTS) rows.push(rowOf(name, await measured(contest, conditions), pieces));
  return rows;
}

const MANY = 100;
const CONTESTS = [
  { name: "accept a run", sliceMs: 250, pieces: 1, open: accept },
  { name: "accept a run, in memory", sliceMs: 250, pieces: 1, open: acceptInMemory },
  { name: "first event of a new run", sliceMs: 250, pieces: 1, open: firstEventOfNewRun },
  { name: "first event of a run", sliceMs: 250, pieces: 1, open: firstEventOfRun },
  { name: "an event, 1 reader", sliceMs: 250, pieces: BURST, open: (directory: string) => eventRate(directory, 1) },
  { name: `an event, ${MANY} readers, each`, sliceMs: 500, pieces: BURST * MANY, open: (directory: string) => eventRate(directory, MANY) },
] as const;
