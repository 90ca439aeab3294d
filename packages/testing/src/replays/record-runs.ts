import { writeFileSync } from "node:fs";
import path from "node:path";
import type { RunRecord } from "@toolbus/contracts";
import type { Habits } from "../world/persons.ts";
import { quietPlan } from "../world/plan.ts";
import { planOf } from "../seeds/run-seed.ts";
import { runWorld } from "../world/world.ts";
import { kindsOf } from "./kinds-of-run.ts";
import { worldRecords } from "./world-records.ts";

// Writes the recorded runs that the tests replay. Run this after an intended change of what the agent says: node packages/testing/src/replays/record-runs.ts

const READ_AND_WRITES: Parameters<typeof quietPlan>[1] = [
  [{ name: "look_up", n: 1 }],
  [
    { name: "high_key", n: 2 },
    { name: "low_key", n: 3 },
  ],
];
const PEOPLE: readonly Partial<Habits>[] = [{}, { denies: 1 }, { revises: 1 }, { edits: 1 }, { cancels: 1 }];
const SEEDS = [1, 2, 3, 4, 5, 6];
const MOST = 12;

const records: RunRecord[] = [];
for (const habits of PEOPLE) records.push(...(await worldRecords(await runWorld(quietPlan("recorded", READ_AND_WRITES, habits)))).records);
const seen = new Set(records.flatMap(kindsOf));
for (const seed of SEEDS) {
  for (const record of (await worldRecords(await runWorld(planOf(seed, { linger: false })))).records) {
    const kinds = kindsOf(record);
    if (records.length >= MOST || kinds.every((kind) => seen.has(kind))) continue;
    records.push(record);
    for (const kind of kinds) seen.add(kind);
  }
}
writeFileSync(path.join(import.meta.dirname, "recorded-runs.json"), `${JSON.stringify(records)}\n`);
