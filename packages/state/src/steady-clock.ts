import { STEP_MS } from "./clock-step.ts";

/**
 * The time of a store that has no clock but this process's: that clock as long as nobody sets it back, and after that the same time carried on. Deadlines
 * from before the step come neither a moment later nor an hour late. It may be set forward. Milliseconds since 1970.
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
