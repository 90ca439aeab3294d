/** The time of a replay. It moves only when the replay says so. */
export interface ReplayClock {
  readonly now: () => number;
  /**
   * Moves to a time of the log. This may be a little earlier than the last one, because an agent that has just committed a run advances the store's
   * time by itself, and rounds up.
   */
  set(time: number): void;
}

export function replayClock(start: number): ReplayClock {
  let now = start;
  return {
    now: () => now,
    set(time) {
      now = time;
    },
  };
}
