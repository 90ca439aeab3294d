import { keys, parseRun, parseRunOrigin, type RunRecord } from "@toolbus/contracts";
import { runRecord } from "@toolbus/gateway";
import { START } from "../clockwork/clockwork.ts";
import type { WorldEnd } from "../world/world.ts";
import { factsReader } from "./facts-reader.ts";

/** Returns the record of every run of a world, as the gateway makes it, and why some runs have none. */
export async function worldRecords(end: Pick<WorldEnd, "facts" | "getBlob">): Promise<{
  readonly records: readonly RunRecord[];
  readonly refused: readonly string[];
}> {
  const now = START + 86_400_000;
  const { facts } = end;
  const reader = factsReader(end, now);
  const records: RunRecord[] = [];
  const refused: string[] = [];
  for (const runId of facts.accepted) {
    const origin = parseRunOrigin(facts.documents.get(keys.runOrigin(runId)));
    const run = parseRun(facts.documents.get(keys.run(runId)));
    if (!origin.ok || !run.ok) continue;
    const own = { kind: "found", now, runId, origin: origin.value, run: run.value } as const;
    const made = await runRecord(reader, own, { mayReadProfile: true });
    if (made.kind === "found") records.push(made.record);
    else refused.push(`${runId}: ${made.detail}`);
  }
  return { records, refused };
}
