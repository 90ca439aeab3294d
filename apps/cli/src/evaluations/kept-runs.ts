import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Journal, Observation, ScenarioHost, Trial } from "@toolbus/evals";
import { writeWhole } from "./whole-file.ts";

/** Keeps what the runs of failed trials did, so that people can look at it after the evaluated system is gone. */
export interface KeptRuns {
  /** The folder with one JSON file for each trial that did not pass and has a run. */
  readonly folder: string;
  /** Whether the folder has a file. */
  any(): Promise<boolean>;
  /** Returns the host with an eye on what its runs do. */
  watched(host: ScenarioHost): ScenarioHost;
  /** Returns the journal that writes the file of a trial before the trial counts as finished. */
  keptIn(journal: Journal): Journal;
}

/** Returns the kept runs of an evaluation. Removes those of an earlier one, unless `journal` continues it. */
export async function keptRuns(folder: string, { trials }: Pick<Journal, "trials">, newId: () => string): Promise<KeptRuns> {
  if (trials.length === 0) await rm(folder, { recursive: true, force: true });
  const open = new Map<string, Observation>();
  return {
    folder,
    any: async () => (await readdir(folder).catch(() => [])).length > 0,
    watched: (host) => ({
      ...host,
      async run(assignment, signal) {
        const observation = await host.run(assignment, signal);
        open.set(observation.runId, observation);
        return observation;
      },
    }),
    keptIn: (journal) => ({
      ...journal,
      async addTrial(trial) {
        const file = path.join(folder, fileOf(trial));
        const observation = open.get(trial.runId ?? "");
        if (observation) open.delete(observation.runId);
        if (observation && trial.status !== "passed")
          await writeWhole(file, `${JSON.stringify({ ...trial, run: observation }, null, 2)}\n`, { id: newId(), replace: true });
        else await rm(file, { force: true });
        await journal.addTrial(trial);
      },
    }),
  };
}

/** The names of scenarios and variants have no dot. */
function fileOf({ scenario, variant, repeat }: Trial): string {
  return `${scenario}.${variant}.${repeat}.json`;
}
