/**
 * The points at which a kill can happen, in the order of a run, each with the prefix of the commit's `op` or with its call. `effect` is a point in
 * the target, so the test asks the release API to kill its caller.
 */
export const KILL_POINTS = {
  accept: "accept",
  acquire: "acquire",
  model: "model",
  turn: "turn",
  publish: "publish",
  request: "hold",
  decide: "decide",
  begin: "begin",
  sending: "sending",
  effect: "effect",
  finish: "finish",
  join: "join",
} as const;

export type KillPoint = keyof typeof KILL_POINTS;

export interface KillPlan {
  readonly name: KillPoint;
  readonly point: string;
  readonly when: "before" | "after";
}

/** Returns a small seeded generator (mulberry32). The same seed gives the same kills. */
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
 * Returns the kills of all runs. Each run has every second point, in order. For two runs, chance decides whether a kill is before or after its
 * operation. The next two runs reverse that, so four runs cover every point both ways.
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
