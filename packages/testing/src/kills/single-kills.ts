import type { WorldEnd } from "../world/world.ts";
import { runWorld } from "../world/world.ts";
import { canonicalRuns } from "./canonical-runs.ts";

/** One process of one canonical run, killed before one step. */
export interface SingleKill {
  readonly run: number;
  readonly step: number;
  /** Which of the processes that live at that moment. */
  readonly victim: number;
}

/** How long a killed process is down. */
const GONE_MS = 1000;

/** Every step of a canonical run, times every process that lives there. */
export async function killsOf(run: number): Promise<readonly SingleKill[]> {
  const kills: SingleKill[] = [];
  const { plan } = runAt(run);
  const { violations } = await runWorld(plan, {
    step: ({ number }, { alive }) => kills.push(...alive.map((_, victim) => ({ run, step: number, victim }))),
  });
  if (violations.length > 0) throw new Error(`The canonical run "${runAt(run).name}" does not end well by itself: ${violations[0]}.`);
  return kills;
}

/** Runs it again up to that step, kills the process there, and lets the run continue. */
export async function runKill({ run, step, victim }: SingleKill): Promise<WorldEnd> {
  return runWorld(runAt(run).plan, {
    step({ number }, deployment) {
      const process = number === step ? deployment.alive[victim] : undefined;
      if (process) deployment.kill(process, GONE_MS);
    },
  });
}

/** A kill in words. */
export function killText({ run, step, victim }: SingleKill): string {
  return `${runAt(run).name}, process ${victim} killed before step ${step}`;
}

function runAt(run: number) {
  const found = canonicalRuns[run];
  if (!found) throw new RangeError(`There is no canonical run ${run}.`);
  return found;
}
