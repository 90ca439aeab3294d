import type { WorldEnd } from "../world/world.ts";
import { runWorld } from "../world/world.ts";
import { canonicalRuns } from "./canonical-runs.ts";

/** A kill of one process before one step of a canonical run. */
export interface SingleKill {
  readonly run: number;
  readonly step: number;
  /** The index of the killed process among the processes that are alive at that moment. */
  readonly victim: number;
}

/** How long a killed process is down, in milliseconds. */
const GONE_MS = 1000;

/** Returns one kill for every step of a canonical run and every process that is alive at this step. */
export async function killsOf(run: number): Promise<readonly SingleKill[]> {
  const kills: SingleKill[] = [];
  const { plan } = runAt(run);
  const { violations } = await runWorld(plan, {
    step: ({ number }, { alive }) => kills.push(...alive.map((_, victim) => ({ run, step: number, victim }))),
  });
  if (violations.length > 0) throw new Error(`The canonical run "${runAt(run).name}" does not end well by itself: ${violations[0]}.`);
  return kills;
}

/** Repeats the run up to the step, kills the process, and lets the run continue. */
export async function runKill({ run, step, victim }: SingleKill): Promise<WorldEnd> {
  return runWorld(runAt(run).plan, {
    step({ number }, deployment) {
      const process = number === step ? deployment.alive[victim] : undefined;
      if (process) deployment.kill(process, GONE_MS);
    },
  });
}

/** Returns a kill in words. */
export function killText({ run, step, victim }: SingleKill): string {
  return `${runAt(run).name}, process ${victim} killed before step ${step}`;
}

function runAt(run: number) {
  const found = canonicalRuns[run];
  if (!found) throw new RangeError(`There is no canonical run ${run}.`);
  return found;
}
