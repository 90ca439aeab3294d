/** The time of a replay. It moves only when the replay says so, and never back. */
export interface ReplayClock {
  readonly now: () => number;
  /** Moves to this time, unless it is in the past. */
  set(time: number): void;
}

export function replayClock(start: number): ReplayClock {
  let now = start;
  return {
    now: () => now,
    set(time) {
      now = Math.max(now, time);
    },
  };
}
