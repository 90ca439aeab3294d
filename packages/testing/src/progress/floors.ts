import { type Tally, WORK, type Work, WORKS } from "./tally.ts";

/** The minimum work for each seed. It applies only to `from` or more seeds, because rare work may be missing in a few seeds. */
interface Floor {
  readonly aSeed: number;
  readonly from: number;
}

/** With fewer seeds, chance could explain anything. */
export const FEWEST_SEEDS = 60;

const often = (aSeed: number): Floor => ({ aSeed, from: FEWEST_SEEDS });
const seldom = (aSeed: number): Floor => ({ aSeed, from: 600 });

/** About half of the average work in worlds without a variant. The average was measured over 1,500 seeds, in blocks of 60 for frequent work. */
const FLOORS: Readonly<Record<Work, Floor>> = {
  runs: often(1.5),
  done: often(0.8),
  turn: often(2.5),
  join: often(4.5),
  answer: often(3.4),
  stored_once: often(0.12),
  effect: often(0.8),
  grant: often(0.9),
  decision: often(0.7),
  by_policy: often(0.25),
  batch: { aSeed: 0.02, from: 200 },
  batch_refusal: { aSeed: 0.04, from: 200 },
  batch_repeat: seldom(0.001),
  edit: { aSeed: 0.03, from: 200 },
  plan: { aSeed: 0.05, from: 200 },
  drift: { aSeed: 0.01, from: 600 },
  refusal: often(0.25),
  redispatch: often(0.2),
  retry: often(0.1),
  ask: often(0.15),
  asked_and_answered: often(0.1),
  cancel: often(0.3),
  paid: often(0.3),
  stopped: seldom(0.03),
  queue: often(0.2),
  reported: often(2),
  take_over: often(0.1),
  write_take_over: seldom(0.02),
  reconcile: seldom(0.005),
  unknown: seldom(0.02),
};

/** The minimum share of runs that end as done. People cancel a third of the runs. */
const DONE_SHARE = 0.45;

/**
 * Returns the work that is below its minimum in this many seeds, in words. Returns an empty list if there was enough work, or if there are too few
 * seeds to judge.
 */
export function missedFloors({ work }: Tally, seeds: number): readonly string[] {
  if (seeds < FEWEST_SEEDS) return [];
  const missed = WORKS.flatMap((name) => {
    const { aSeed, from } = FLOORS[name];
    if (seeds < from || work[name] >= aSeed * seeds) return [];
    return [
      `floor missed: ${WORK[name]}: ${work[name]} in ${seeds} seeds, ${rate(work[name] / seeds)} per seed, and ${aSeed} is the least`,
    ];
  });
  const share = work.runs === 0 ? 0 : work.done / work.runs;
  return share >= DONE_SHARE
    ? missed
    : [...missed, `floor missed: ${percent(share)} of the runs ended done, and ${percent(DONE_SHARE)} is the least`];
}

const rate = (value: number): string => value.toFixed(2);
const percent = (share: number): string => `${Math.round(share * 100)} %`;
