/**
 * The points at which a kill can happen, in the order of a run. Each has the prefix of a commit's `op`, or the name of an operation. `effect` is a
 * point inside the target, so the release API makes this kill.
 */
export const KILL_POINTS = {
  accept: "accept",
  round: "round",
  publish: "publish",
  request: "hold",
  decide: "decide",
  begin: "begin",
  sending: "sending",
  effect: "effect",
  finish: "finish",
  continue: "continue",
  model: "model",
  turn: "turn",
} as const;

export type KillPoint = keyof typeof KILL_POINTS;

export interface KillPlan {
  readonly name: KillPoint;
  readonly point: string;
  readonly when: "before" | "after";
}

/** Returns a small seeded random generator (mulberry32). The same seed gives the same kills. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Returns the kills of all runs. Each run has every second point, in order. For two runs, chance decides whether each kill is before or after its
 * operation. The next two runs do the opposite, so four runs cover every point before and after.
 */
export function plansFor(runs: number, random: () => number): KillPlan[][] {
  const points = Object.keys(KILL_POINTS) as KillPoint[];
  let after = points.map(() => random() < 0.5);
  return Array.from({ length: runs }, (_, run) => {
    if (run > 0 && run % 2 === 0) after = run % 4 === 0 ? points.map(() => random() < 0.5) : after.map((flag) => !flag);
    return points.flatMap((name, index) =>
      index % 2 === run % 2 ? [{ name, point: KILL_POINTS[name], when: after[index] ? ("after" as const) : ("before" as const) }] : [],
    );
  });
}
