import { STEP_MS } from "./clock-step.ts";

/**
 * Returns the time of a store that has only this process's clock, in milliseconds since 1970. If somebody sets the clock back, the time continues
 * without the step. So a deadline from before the step still passes on time. If the clock is set forward, the time follows it.
 */
export function steadyClock({ wall, monotonic }: { readonly wall: () => number; readonly monotonic: () => number }): () => number {
  let setBackBy = 0;
  let last: { readonly time: number; readonly at: number } | null = null;
  return () => {
    const at = monotonic();
    const carried = last === null ? Number.NEGATIVE_INFINITY : last.time + (at - last.at);
    let time = wall() + setBackBy;
    if (carried - time > STEP_MS) {
      setBackBy += Math.ceil(carried - time);
      time = wall() + setBackBy;
    }
    last = { time, at };
    return time;
  };
}
